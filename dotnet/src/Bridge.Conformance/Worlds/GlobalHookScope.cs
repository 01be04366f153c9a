using System.Collections.Concurrent;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>
/// The global hooks of one run of a hook program, and the run's subscription to warnings. Disposing the scope removes both.
/// </summary>
internal sealed class GlobalHookScope : IDisposable
{
    // Global hooks apply to every module of the process, so runs take turns.
    private static readonly object Turn = new();

    private readonly ConcurrentBag<IDisposable> _global = [];
    private readonly Action<HookWarning> _warned;

    /// <summary>Waits until no other thread has a scope, and subscribes to warnings.</summary>
    /// <exception cref="DefectException">The process has global hooks that no run of a hook program registered.</exception>
    internal GlobalHookScope(Action<HookWarning> warned)
    {
        _warned = warned;
        Monitor.Enter(Turn);
        if (!GlobalHooks.IsEmpty)
        {
            Monitor.Exit(Turn);
            throw new DefectException("global hooks are registered in this process, and would run: remove them first");
        }

        HookWarnings.Raised += _warned;
    }

    internal IDisposable Add(PreHook<object?[]> hook, bool prepend, bool alwaysCall) =>
        Track(GlobalHooks.Pre.Add(hook, prepend, alwaysCall));

    internal IDisposable Add(ForwardHook<object?[], object?> hook, bool prepend, bool alwaysCall) =>
        Track(GlobalHooks.Forward.Add(hook, prepend, alwaysCall));

    public void Dispose()
    {
        HookWarnings.Raised -= _warned;
        foreach (var handle in _global) handle.Dispose();
        Monitor.Exit(Turn);
    }

    private IDisposable Track(IDisposable handle)
    {
        _global.Add(handle);
        return handle;
    }
}
