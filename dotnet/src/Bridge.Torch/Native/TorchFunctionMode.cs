using System.Runtime.CompilerServices;

namespace Bridge.Torch.Native;

/// <summary>
/// Calls that something in Python follows function by function: a tensor subclass, a mode, a trace. In them every module is called through
/// Python, and every operator through PyTorch's public function, which the follower sees as it sees a Python model's.
/// </summary>
internal static class TorchFunctionMode
{
    private static readonly object Gate = new();
    private static int _calls;
    private static long _recorders;

    // Never written after it is here: a reference is a release, so whoever finds this one finds all that is in it.
    private static HashSet<string> _publicOperators = [];

    [ThreadStatic]
    private static int _depth;

    /// <summary>A call that this thread makes is followed.</summary>
    internal static bool IsActive
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _calls) != 0 && _depth > 0;
    }

    /// <summary>This thread's calls are followed from now on.</summary>
    internal static void Enter()
    {
        _depth++;
        Count(1);
    }

    /// <summary>The call is over.</summary>
    internal static void Exit()
    {
        _depth--;
        Count(-1);
    }

    /// <summary>How many entries of the global dictionaries are recorders'.</summary>
    internal static void SetRecorders(long count)
    {
        lock (Gate)
        {
            _recorders = count;
            Publish();
        }
    }

    /// <summary>The operators that run Python's functions, one for each of ours that has such a function.</summary>
    internal static void SetPublicOperators(string names) => _publicOperators = [.. names.Split('\n')];

    /// <summary>The operator that runs Python's function in place of <paramref name="operator"/>, null when there is none.</summary>
    internal static string? PublicOperator(string @operator)
    {
        var parts = @operator[(@operator.IndexOf(':', StringComparison.Ordinal) + 2)..].Split('.');
        var name = @operator.StartsWith("bridge::", StringComparison.Ordinal) ? @operator + "p" : $"bridge::{parts[0]}__{(parts.Length > 1 ? parts[1] : "default")}__p";
        return _publicOperators.Contains(name) ? name : null;
    }

    private static void Count(int calls)
    {
        lock (Gate)
        {
            _calls += calls;
            Publish();
        }
    }

    // One word says whether anything listens everywhere. It counts the entries that do not, so one less makes all modules be called
    // through Python, with no cost for the calls that nobody follows.
    private static void Publish() => Volatile.Write(ref ModuleLink.Recorders, _recorders - (_calls > 0 ? 1 : 0));
}
