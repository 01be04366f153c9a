using System.Diagnostics;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The C# methods that read sizes while PyTorch records a trace (<c>torch.jit.trace</c>): these sizes become constants of the trace.
/// </summary>
internal static class TracedReads
{
    private static int _traces;

    [ThreadStatic]
    private static int _depth;

    [ThreadStatic]
    private static HashSet<string>? _readers;

    /// <summary>Gets whether a trace is being recorded in the process.</summary>
    internal static bool IsAnyActive => Volatile.Read(ref _traces) != 0;

    /// <summary>Gets whether this thread's calls are traced.</summary>
    internal static bool IsActive => IsAnyActive && _depth > 0;

    /// <summary>Starts tracing this thread's calls.</summary>
    internal static void Begin()
    {
        Interlocked.Increment(ref _traces);
        _depth++;
    }

    /// <summary>Ends tracing. Returns the methods that read sizes on this thread since the last call of <see cref="End"/>.</summary>
    internal static IReadOnlyCollection<string> End()
    {
        Interlocked.Decrement(ref _traces);
        _depth--;
        var readers = _readers;
        _readers = null;
        return readers ?? [];
    }

    /// <summary>
    /// Stores the C# method that reads a size, if this thread's calls are traced. Called only if <see cref="IsAnyActive"/> is true.
    /// </summary>
    internal static void Note()
    {
        if (_depth > 0) (_readers ??= []).Add(Reader());
    }

    // Returns the innermost method of a model's assembly: the caller itself may be a method of LINQ. Without a model's method on the
    // stack, returns the innermost method outside of Tensor.
    private static string Reader()
    {
        var methods = new StackTrace(2).GetFrames().Select(frame => frame.GetMethod())
            .Where(method => method?.DeclaringType is { } type && type != typeof(torch.Tensor)).ToArray();
        var reader = methods.FirstOrDefault(method => ShapeReads.IsModelAssembly(method!.DeclaringType!.Assembly))
            ?? methods.FirstOrDefault();
        return reader is null ? "C#" : Caller.SourceName(reader);
    }
}
