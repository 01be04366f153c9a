using System.Diagnostics;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Where C# reads sizes or elements while PyTorch records a trace (<c>torch.jit.trace</c>), in which they become constants.</summary>
internal static class TracedReads
{
    private static int _traces;

    [ThreadStatic]
    private static int _depth;

    [ThreadStatic]
    private static HashSet<string>? _readers;

    /// <summary>A trace is recorded somewhere in the process.</summary>
    internal static bool IsAnyActive => Volatile.Read(ref _traces) != 0;

    /// <summary>A call that this thread makes is traced.</summary>
    internal static bool IsActive => IsAnyActive && _depth > 0;

    /// <summary>From now on calls that this thread makes are traced.</summary>
    internal static void Begin()
    {
        Interlocked.Increment(ref _traces);
        _depth++;
    }

    /// <summary>The call is over; gives the methods that read something since the last end.</summary>
    internal static IReadOnlyCollection<string> End()
    {
        Interlocked.Decrement(ref _traces);
        _depth--;
        var readers = _readers;
        _readers = null;
        return readers ?? [];
    }

    /// <summary>Something is read. Called only if <see cref="IsAnyActive"/>.</summary>
    internal static void Note()
    {
        if (_depth > 0) (_readers ??= []).Add(Reader());
    }

    // The user's method, which is not always the one that reads: LINQ may have a lambda inlined. Or the class of ours that reads for itself.
    private static string Reader()
    {
        var methods = new StackTrace(2).GetFrames().Select(frame => frame.GetMethod()).Where(method => method?.DeclaringType is { } type && type != typeof(torch.Tensor)).ToArray();
        var own = methods.FirstOrDefault(method => ShapeReads.IsModelAssembly(method!.DeclaringType!.Assembly)) ?? methods.FirstOrDefault();
        return own is null ? "C#" : Caller.SourceName(own);
    }
}
