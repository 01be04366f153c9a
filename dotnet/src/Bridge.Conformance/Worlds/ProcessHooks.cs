using System.Collections.Concurrent;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>What a run holds for the entire process, and releases: the global hooks, and the listener for warnings.</summary>
internal sealed class ProcessHooks : IDisposable
{
    // Global hooks serve every module of the process, so runs take turns.
    private static readonly object Turn = new();

    private readonly ConcurrentBag<IDisposable> _global = [];
    private readonly Action<HookWarning> _warned;

    /// <summary>Waits for its turn.</summary>
    /// <exception cref="Defect">The process has other global hooks.</exception>
    internal ProcessHooks(Action<HookWarning> warned)
    {
        _warned = warned;
        Monitor.Enter(Turn);
        if (!GlobalHooks.IsEmpty)
        {
            Monitor.Exit(Turn);
            throw new Defect("global hooks are registered in this process, and would take part");
        }

        HookWarnings.Raised += _warned;
    }

    internal IDisposable Add(PreHook<object?[]> hook, bool prepend, bool alwaysCall) => Kept(GlobalHooks.Pre.Add(hook, prepend, alwaysCall));

    internal IDisposable Add(ForwardHook<object?[], object?> hook, bool prepend, bool alwaysCall) => Kept(GlobalHooks.Forward.Add(hook, prepend, alwaysCall));

    public void Dispose()
    {
        HookWarnings.Raised -= _warned;
        foreach (var handle in _global) handle.Dispose();
        Monitor.Exit(Turn);
    }

    private IDisposable Kept(IDisposable handle)
    {
        _global.Add(handle);
        return handle;
    }
}
