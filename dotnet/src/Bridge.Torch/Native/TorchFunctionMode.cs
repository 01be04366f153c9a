using System.Runtime.CompilerServices;

namespace Bridge.Torch.Native;

/// <summary>
/// The state of calls that are observed: by a tensor subclass, a <c>__torch_function__</c> or dispatch mode, <c>torch.jit.trace</c> or a
/// tool that wraps PyTorch. In such a call, all modules are called through Python, and operators through PyTorch's public functions where
/// these exist, as in a Python model.
/// </summary>
internal static class TorchFunctionMode
{
    private static readonly object Gate = new();
    private static int _calls;
    private static long _recorders;

    // The set never changes once it is assigned. A thread that reads the reference also sees the contents: in .NET, a write of a
    // reference has release semantics.
    private static HashSet<string> _publicOperators = [];

    [ThreadStatic]
    private static int _depth;

    /// <summary>Gets whether this thread's current call is observed.</summary>
    internal static bool IsActive
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _calls) != 0 && _depth > 0;
    }

    /// <summary>Begins an observed call on this thread.</summary>
    internal static void Enter()
    {
        _depth++;
        Count(1);
    }

    /// <summary>Ends an observed call on this thread.</summary>
    internal static void Exit()
    {
        _depth--;
        Count(-1);
    }

    /// <summary>Sets the number of entries in PyTorch's global hook dictionaries that belong to this project's recorder.</summary>
    internal static void SetRecorders(long count)
    {
        lock (Gate)
        {
            _recorders = count;
            Publish();
        }
    }

    /// <summary>Sets the names, one per line, of the operators that call PyTorch's public functions.</summary>
    internal static void SetPublicOperators(string names) => _publicOperators = [.. names.Split('\n')];

    /// <summary>
    /// Returns the name of the operator in the namespace <c>bridge</c> that replaces <paramref name="operator"/> by a call of its public
    /// function, such as <c>torch.Tensor.relu</c> for <c>aten::relu</c>; null if there is none.
    /// </summary>
    internal static string? PublicOperator(string @operator)
    {
        var parts = @operator[(@operator.IndexOf(':', StringComparison.Ordinal) + 2)..].Split('.');
        var name = @operator.StartsWith("bridge::", StringComparison.Ordinal)
            ? @operator + "p" : $"bridge::{parts[0]}__{(parts.Length > 1 ? parts[1] : "default")}__p";
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

    // Modules are called through Python if the number of global hooks exceeds ModuleLink.Recorders, the number of our recorder's hooks.
    // While calls are observed, the field is one lower, so that modules are called through Python even if there are no other hooks.
    private static void Publish() => Volatile.Write(ref ModuleLink.Recorders, _recorders - (_calls > 0 ? 1 : 0));
}
