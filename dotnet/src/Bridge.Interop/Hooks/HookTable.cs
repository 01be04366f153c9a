using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>C# hooks in Python's dictionaries, by the number that their Python entry carries.</summary>
/// <remarks>The entry keeps the hook alive until Python reports that it was dropped.</remarks>
internal sealed class HookTable : PythonHooks
{
    private static readonly ConcurrentDictionary<long, RegisteredHook> Known = new();
    private static long _numbers;

    internal static RegisteredHook Get(long number) => Known.TryGetValue(number, out var hook) ? hook : throw new ObjectDisposedException("hook", "The C# hook was removed.");

    /// <summary>Number of C# hooks in Python's dictionaries.</summary>
    internal static int Count => Known.Count;

    /// <summary>A number for a hook; Python gives it back by <see cref="Forget"/>.</summary>
    internal static long Add(RegisteredHook hook)
    {
        var number = Interlocked.Increment(ref _numbers);
        Known[number] = hook;
        return number;
    }

    /// <summary>Enters a hook into the dictionary of a module, or the global one.</summary>
    /// <param name="module">The id of a mirrored module, that of a <see cref="PythonModule"/>, or 0 for all modules.</param>
    /// <param name="hook">The hook.</param>
    /// <param name="inOrder">Hooks come in their final order, so none is put in front.</param>
    internal static IDisposable Register(long module, RegisteredHook hook, bool inOrder = false)
    {
        ReachableTensors.AddClosure(hook.Target);
        var number = Add(hook);
        var flags = (hook.IsTyped ? HookFlags.Typed : 0) | (hook.WithKwargs ? HookFlags.WithKwargs : 0)
            | (hook.Prepend && !inOrder ? HookFlags.Prepend : 0) | (hook.AlwaysCall ? HookFlags.AlwaysCall : 0);
        try
        {
            Callbacks.ChangeHook(module, number, hook.Kind, flags);
        }
        catch
        {
            Known.TryRemove(number, out _);
            throw;
        }

        return new Entry(module, number);
    }

    /// <summary>Python dropped its entry.</summary>
    internal static void Forget(long number)
    {
        if (Known.TryRemove(number, out var hook)) hook.DropPlans(id => MirrorLink.All.GetValueOrDefault(id)?.ForgetPlan());
    }

    /// <summary>A plan of what Python says of a module's forward hooks.</summary>
    /// <param name="id">The module.</param>
    /// <param name="entries">For the pre hooks and for the forward hooks key, number, whether it is registered with kwargs, and whether it is always called, of each; null if some are Python's.</param>
    /// <param name="source">Where its dictionaries are.</param>
    /// <param name="versions">What they had before.</param>
    internal static HookPlan Planned(long id, object?[]? entries, HookCounts source, HookDictVersions versions)
    {
        return entries is [object?[] pre, object?[] forward] ? new(Hooks(pre, HookKind.Pre), Hooks(forward, HookKind.Forward), source, versions) : new(null, null, source, versions);

        PlannedHook[]? Hooks(object?[] items, HookKind kind)
        {
            var hooks = new PlannedHook[items.Length];
            for (var i = 0; i < hooks.Length; i++)
            {
                var entry = (object?[])items[i]!;
                // Dropped meanwhile, or a hook of another kind, which says so itself.
                if (!Known.TryGetValue((long)entry[1]!, out var hook) || hook.Kind != kind || !hook.TryAddPlan(id)) return null;
                hooks[i] = new((long)entry[0]!, hook, (bool)entry[2]!, (bool)entry[3]!);
            }

            return hooks;
        }
    }

    internal override long Keep(RegisteredHook hook) => Add(hook);

    internal override IDisposable Register(RegisteredHook hook) => Register(0, hook);

    internal override IDisposable Register(torch.Tensor tensor, RegisteredHook hook)
    {
        ReachableTensors.AddClosure(hook.Target);
        var number = Add(hook);
        try
        {
            Callbacks.HookTensor(tensor, number, hook.Kind);
        }
        catch
        {
            Known.TryRemove(number, out _);
            throw;
        }

        return new Entry(0, number);
    }

    private sealed class Entry(long module, long number) : IDisposable
    {
        public void Dispose()
        {
            // A mirror that is gone took its dictionaries with it (H-3).
            if (module <= 0 || MirrorLink.All.ContainsKey(module)) Callbacks.ChangeHook(module, number, default, HookFlags.Remove);
        }
    }
}
