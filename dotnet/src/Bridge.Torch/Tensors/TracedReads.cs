using System.Diagnostics;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The C# methods that read sizes or elements while PyTorch records a trace (<c>torch.jit.trace</c>), where these become constants.
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

    /// <summary>Ends tracing; returns the methods that read something since the last end.</summary>
    internal static IReadOnlyCollection<string> End()
    {
        Interlocked.Decrement(ref _traces);
        _depth--;
        var readers = _readers;
        _readers = null;
        return readers ?? [];
    }

    /// <summary>Notes a read. Called only if <see cref="IsAnyActive"/>.</summary>
    internal static void Note()
    {
        if (_depth > 0) (_readers ??= []).Add(Reader());
    }

    // Prefers the user's method to the one that reads: LINQ may have inlined a lambda. Otherwise it is our class that reads.
    private static string Reader()
    {
        var methods = new StackTrace(2).GetFrames().Select(frame => frame.GetMethod())
            .Where(method => method?.DeclaringType is { } type && type != typeof(torch.Tensor)).ToArray();
        var own = methods.FirstOrDefault(method => ShapeReads.IsModelAssembly(method!.DeclaringType!.Assembly)) ?? methods.FirstOrDefault();
        return own is null ? "C#" : Caller.SourceName(own);
    }
}
