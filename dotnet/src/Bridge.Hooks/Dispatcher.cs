using System.Runtime.CompilerServices;

namespace Bridge.Hooks;

/// <summary>Calls a module: forward pre hooks, <c>forward</c>, forward hooks, in PyTorch's order.</summary>
/// <remarks>
/// <para>Entry (C-5). Whether the module or the process has any hook is decided once, when the call begins. Without hooks, <c>forward</c>
/// runs and its result is returned; a hook that this <c>forward</c> registers runs from the next call on, and exceptions pass through
/// . The check is a few loads and allocates nothing. A module class can inline it and save an interface call:
/// <c>ThreadStack.Check(this); return IsBare(site) ? forward(x) : CallHooked(this, x);</c>.</para>
/// <para>Order (C-6, O-1). Pre hooks, <c>forward</c>, forward hooks; in each phase the global hooks run before the module's own.
/// The steps of C-6 that belong to backward hooks are not done here, because this library does not know the autograd graph.</para>
/// <para>Snapshot (D-1). A phase reads the list of global hooks and the list of the module's hooks before its first hook runs. So a hook
/// that adds or removes hooks of its own phase affects only later calls, and the recovery if this call fails. A pre hook that a
/// global pre hook registers on the module runs from the next call on. A forward hook that a pre hook registers runs in the same call
/// (C-7).</para>
/// <para>Threads and recursion. The state of a call is on the stack and needs no lock. If a hook assigns to its <c>ref</c>
/// parameter, the assignment takes effect when the hook returns. If the hook throws, the always-called hooks see the value from before the
/// hook .</para>
/// <para>Exceptions (A-1 … A-9). After an error in <c>forward</c> or a hook, this class runs the always-called forward hooks that have not
/// started. It deliberately differs from A-8: PyTorch iterates over the live dictionaries, and raises 'mutated during iteration' instead
/// of the original exception when an always-called hook adds or removes a hook. In C# the original exception would be lost, because
/// there is no <c>__context__</c>. So the recovery iterates over snapshots of the lists, and the original exception propagates.</para>
/// <para>Recursion depth. A stack overflow ends the process, so each call first checks the remaining stack (<see cref="ThreadStack"/>).
/// For the same reason a call never catches and rethrows: the runtime keeps the frames that an exception has left until the catch
/// block ends, so ten thousand nested rethrows would overflow the stack. Recovery runs in a finally block instead, and an exception
/// filter classifies the exception.</para>
/// </remarks>
public static class Dispatcher
{
    /// <summary>Calls a module with its hooks.</summary>
    /// <param name="target">The module.</param>
    /// <param name="site">The module's <see cref="IHookTarget{TIn, TOut}.Site"/>, passed to save an interface call.</param>
    /// <param name="args">The arguments.</param>
    /// <returns>The result, after the forward hooks.</returns>
    /// <exception cref="InsufficientExecutionStackException">Modules call each other endlessly, or are nested too deeply.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TOut Call<TTarget, TIn, TOut>(TTarget target, HookSite<TIn, TOut>? site, TIn args)
        where TTarget : class, IHookTarget<TIn, TOut>
    {
        ThreadStack.Check(target);
        return IsBare(site) ? target.Forward(args) : CallHooked(target, args);
    }

    /// <summary>Returns whether a call that begins now has no hooks to run (C-5).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsBare<TIn, TOut>(HookSite<TIn, TOut>? site) => (site is null || site.IsEmpty) && GlobalHooks.IsEmpty;

    /// <summary>
    /// Calls a module with its hooks, without checking first whether it has any. The caller has to call <see cref="ThreadStack.Check"/>
    /// first.
    /// </summary>
    /// <param name="target">The module.</param>
    /// <param name="args">The arguments.</param>
    /// <param name="observer">Sees the values after the global hooks of each phase; may be null.</param>
    /// <returns>The result, after the forward hooks.</returns>
    public static TOut CallHooked<TIn, TOut>(IHookTarget<TIn, TOut> target, TIn args, ICallObserver<TIn, TOut>? observer = null)
    {
        TOut output = default!;
        var state = default(CallState<TIn, TOut>);
        var failed = false;
        try
        {
            RunPreHooks(target, target, ref args, ref state, observer);
            output = target.Forward(args);
            RunForwardHooks(target, target, in args, ref output, ref state, observer);

            // The filter may have seen an exception that never left `forward` or a hook: a finally block threw another exception, which
            // `forward` or the hook caught.
            failed = false;
            return output;
        }
        catch (Exception exception) when (NoteFailure(exception, out failed))
        {
            throw; // Never reached: the filter returns false.
        }
        finally
        {
            try
            {
                if (failed)
                {
                    Recover(target, target, in args, output, in state);
                }
            }
            finally
            {
                if (state.Observed)
                {
                    observer!.Left(state.Call);
                }
            }
        }
    }

    // An exception filter that sets `failed` to whether the exception is an error, and returns false to catch nothing.
    private static bool NoteFailure(Exception exception, out bool failed)
    {
        failed = !InterruptCheck.IsInterrupt(exception);
        return false;
    }

    // Internal for Bridge.TorchSharp, where TorchSharp runs `forward`. The hooks get `module`, which may be another object than `target`.
    internal static void RunPreHooks<TIn, TOut>(
        IHookTarget<TIn, TOut> target, object module, ref TIn args, ref CallState<TIn, TOut> state, ICallObserver<TIn, TOut>? observer)
    {
        var global = GlobalHooks.Pre.Entries;
        var own = target.Site?.PreEntries;
        if (global is not null)
        {
            var boxed = target.Box(args);
            foreach (ref readonly var entry in global.AsSpan())
            {
                var next = boxed;
                entry.Hook(module, ref next);
                boxed = next ?? boxed;
                args = target.Unbox(boxed);
            }
        }

        if (observer is not null)
        {
            state.Call = observer.Entered(in args);
            state.Observed = true;
        }

        foreach (ref readonly var entry in own.AsSpan())
        {
            var next = args;
            entry.Hook(module, ref next);
            if (next is not null)
            {
                args = next;
            }
        }
    }

    internal static void RunForwardHooks<TIn, TOut>(
        IHookTarget<TIn, TOut> target,
        object module,
        in TIn args,
        ref TOut output,
        ref CallState<TIn, TOut> state,
        ICallObserver<TIn, TOut>? observer)
    {
        state.Global = GlobalHooks.Forward.Entries;
        state.Own = target.Site?.ForwardEntries;
        if (state.Global is not null)
        {
            var boxedArgs = target.Box(args);
            var boxed = target.BoxResult(output);
            foreach (ref readonly var entry in state.Global.AsSpan())
            {
                // Counted before it runs: a hook that throws is not run again.
                state.GlobalStarted++;
                var next = boxed;
                entry.Hook(module, in boxedArgs, ref next);
                if (next is not null && !ReferenceEquals(next, boxed))
                {
                    output = target.UnboxResult(next);
                    boxed = next;
                }
            }
        }

        observer?.Computed(state.Call, in output);
        foreach (ref readonly var entry in state.Own.AsSpan())
        {
            state.OwnStarted++;
            var next = output;
            entry.Hook(module, in args, ref next);
            if (next is not null)
            {
                output = next;
            }
        }
    }

    // A-3 … A-6: runs the always-called forward hooks that have not started yet, from the current lists.
    internal static void Recover<TIn, TOut>(
        IHookTarget<TIn, TOut> target, object module, in TIn args, TOut output, in CallState<TIn, TOut> state)
    {
        foreach (ref readonly var entry in GlobalHooks.Forward.Snapshot())
        {
            if (!entry.AlwaysCall || WasStarted(state.Global, state.GlobalStarted, entry.Id))
            {
                continue;
            }

            try
            {
                var boxed = target.BoxResult(output);
                var next = boxed;
                entry.Hook(module, target.Box(args), ref next);
                if (next is not null && !ReferenceEquals(next, boxed))
                {
                    output = target.UnboxResult(next);
                }
            }
            catch (Exception exception) when (!InterruptCheck.IsInterrupt(exception))
            {
                HookWarnings.RaiseSilenced(module, global: true, exception);
            }
        }

        // Read after the global hooks above, which may have registered or removed hooks of the module.
        foreach (ref readonly var entry in (target.Site?.ForwardEntries).AsSpan())
        {
            if (!entry.AlwaysCall || WasStarted(state.Own, state.OwnStarted, entry.Id))
            {
                continue;
            }

            try
            {
                var next = output;
                entry.Hook(module, in args, ref next);
                if (next is not null)
                {
                    output = next;
                }
            }
            catch (Exception exception) when (!InterruptCheck.IsInterrupt(exception))
            {
                HookWarnings.RaiseSilenced(module, global: false, exception);
            }
        }
    }

    private static bool WasStarted<THook>(HookRegistry<THook>.Entry[]? snapshot, int started, long id)
        where THook : Delegate
    {
        for (var i = 0; i < started; i++)
        {
            if (snapshot![i].Id == id)
            {
                return true;
            }
        }

        return false;
    }

    internal struct CallState<TIn, TOut>
    {
        // The forward hooks at the beginning of their phase.
        public HookRegistry<ForwardHook<object?[], object?>>.Entry[]? Global;
        public HookRegistry<ForwardHook<TIn, TOut>>.Entry[]? Own;

        // How many of these hooks have started.
        public int GlobalStarted;
        public int OwnStarted;

        // Whether the observer has seen the call.
        public bool Observed;

        // The number that the observer returned for the call.
        public int Call;
    }
}
