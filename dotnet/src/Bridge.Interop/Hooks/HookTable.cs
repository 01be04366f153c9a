using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The C# hooks to which Python refers by number.</summary>
/// <remarks>A hook is kept alive until Python reports that nothing refers to the number any more (<see cref="Forget"/>).</remarks>
internal sealed class HookTable : PythonHooks
{
    private static readonly ConcurrentDictionary<long, RegisteredHook> Known = new();
    private static long _numbers;

    /// <exception cref="ObjectDisposedException">The hook was removed.</exception>
    internal static RegisteredHook Get(long number) =>
        Known.TryGetValue(number, out var hook) ? hook : throw new ObjectDisposedException("hook", "The C# hook was removed.");

    internal static int Count => Known.Count;

    /// <summary>Adds a hook and returns its number, which is valid until <see cref="Forget"/>.</summary>
    internal static long Add(RegisteredHook hook)
    {
        var number = Interlocked.Increment(ref _numbers);
        Known[number] = hook;
        return number;
    }

    /// <summary>Registers a hook in the dictionary of a module, or in the global dictionary.</summary>
    /// <param name="module">
    /// The id of a C# module, the number of a <see cref="PythonModule"/>, or 0 for the global dictionary.
    /// </param>
    /// <param name="hook">The hook.</param>
    /// <param name="inOrder">Whether hooks are registered in their final order, so that <c>prepend</c> is ignored.</param>
    /// <returns>The handle that removes the hook.</returns>
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

    /// <summary>Removes a hook to which Python no longer refers.</summary>
    internal static void Forget(long number)
    {
        if (Known.TryRemove(number, out var hook)) hook.DropPlans(id => MirrorLink.All.GetValueOrDefault(id)?.ForgetPlan());
    }

    /// <summary>
    /// Creates a <see cref="HookPlan"/>: the forward pre hooks and forward hooks of a module, in order, which C# itself then runs.
    /// </summary>
    /// <param name="id">The module.</param>
    /// <param name="entries">
    /// Two arrays: the forward pre hooks and the forward hooks. Each hook is an array: its key in the dictionary, its number (0 for a
    /// Python hook, the only one), whether it has <c>with_kwargs</c>, and whether it has <c>always_call</c>. Null if Python must run the
    /// hooks; the plan then has none.
    /// </param>
    /// <param name="source">The counts of the module's hook dictionaries.</param>
    /// <param name="versions">The versions of the dictionaries before the entries were read.</param>
    /// <param name="python">Creates the hook that runs a Python hook, by its key; returns null if Python must run the hook.</param>
    internal static HookPlan CreatePlan(
        long id, object?[]? entries, HookCounts source, HookDictVersions versions, Func<long, RegisteredHook?> python)
    {
        return entries is [object?[] pre, object?[] forward]
            ? new(Hooks(pre, HookKind.Pre), Hooks(forward, HookKind.Forward), source, versions) : new(null, null, source, versions);

        PlannedHook[]? Hooks(object?[] items, HookKind kind)
        {
            var hooks = new PlannedHook[items.Length];
            for (var i = 0; i < hooks.Length; i++)
            {
                var entry = (object?[])items[i]!;
                if ((long)entry[1]! == 0)
                {
                    if (python((long)entry[0]!) is not { } own) return null;
                    hooks[i] = new((long)entry[0]!, own, false, false);
                    continue;
                }

                // Null lets PyTorch run the hooks. Either the hook was removed meanwhile, or it is in the dictionary of another kind of
                // hook, which makes PyTorch's call throw.
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
            // If the module's mirror was freed, its hook dictionaries are gone (H-3).
            if (module <= 0 || MirrorLink.All.ContainsKey(module)) Callbacks.ChangeHook(module, number, default, HookFlags.Remove);
        }
    }
}
