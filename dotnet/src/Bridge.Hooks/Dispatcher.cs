using System.Runtime.CompilerServices;

namespace Bridge.Hooks;

/// <summary>The module call: forward pre hooks, <c>forward</c>, forward hooks, in PyTorch's order.</summary>
/// <remarks>
/// <para>Entry (C-5). One question decides how the entire call goes: has the module, or has the process, any hook now? If not,
/// <c>forward</c> runs and its result is returned as it is; a hook that <c>forward</c> registers then waits for the next call, and
/// there is no exception handling. The question is a few loads and allocates nothing. A module type that has a virtual
/// method of its own at hand asks it itself and saves an interface call: <c>ThreadStack.Check(this); return IsBare(site) ? forward(x) :
/// CallHooked(this, x);</c>.</para>
/// <para>Order (C-6, O-1). Pre hooks, <c>forward</c>, forward hooks; in each phase first the global hooks, then the module's own.
/// Steps 1, 2, 4, 7 and 8 of C-6 belong to the backward hooks, which the owner of the autograd graph adds around this.</para>
/// <para>Snapshot (D-1). A phase takes both lists when it begins, before its first hook. So a hook that adds or removes hooks of
/// its own phase changes the next call, a global pre hook that registers a module pre hook too, and a pre hook that registers a
/// forward hook changes this call (C-7b). The lists are immutable arrays: taking them is one read each.</para>
/// <para>State of a call is on the stack: threads and recursion need no lock. A hook writes into a copy, and the
/// copy is taken over when the hook returns, so an always-called hook sees what a PyTorch hook would .</para>
/// <para>Exceptions (A-1 … A-9). The original exception always comes out, with its stack. This departs from A-8 on purpose:
/// PyTorch iterates over the live dictionaries and, when an always-called hook adds or removes a hook with others to come, replaces the
/// original exception by 'mutated during iteration'. A C# caller has no <c>__context__</c> to find the original in, so this iterates over the
/// lists as they are when each half of the recovery begins, and the original survives. Which hooks run is the same as in
/// PyTorch wherever PyTorch does not raise: a hook that was removed before the exception does not run, one added before it
/// does.</para>
/// <para>Recursion. A stack overflow ends the process, so each call checks at its entry that some stack is left (<see cref="ThreadStack"/>). For the same
/// reason nothing on the way of a call may catch and rethrow: the runtime keeps the stack of the catch until it is left, so ten
/// thousand nested rethrows overflow it while the exception is on its way out. Recovery runs in a finally, which leaves nothing behind;
/// a filter tells it what kind of exception it is.</para>
/// </remarks>
public static class Dispatcher
{
    /// <summary>Calls a module with its hooks.</summary>
    /// <param name="target">The module.</param>
    /// <param name="site">Its <see cref="IHookTarget{TIn, TOut}.Site"/>, which the caller has in a field at hand.</param>
    /// <param name="args">The arguments.</param>
    /// <returns>The result, after the forward hooks.</returns>
    /// <exception cref="InsufficientExecutionStackException">Modules call each other without end.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TOut Call<TTarget, TIn, TOut>(TTarget target, HookSite<TIn, TOut>? site, TIn args)
        where TTarget : class, IHookTarget<TIn, TOut>
    {
        ThreadStack.Check(target);
        return IsBare(site) ? target.Forward(args) : CallHooked(target, args);
    }

    /// <summary>Whether a call that is entered now takes the fast path (C-5).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsBare<TIn, TOut>(HookSite<TIn, TOut>? site) => (site is null || site.IsEmpty) && GlobalHooks.IsEmpty;

    /// <summary>
    /// The slow path of C-6, whatever is registered: for a caller that knows of a reason of its own to take it (a backward
    /// hook, a recording, a listener in another runtime). The caller has to call <see cref="ThreadStack.Check"/>.
    /// </summary>
    /// <param name="target">The module.</param>
    /// <param name="args">The arguments.</param>
    /// <param name="observer">Sees the call from the place of the last global hook; may be null.</param>
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

            // An exception that was seen passing and then replaced by one that code below caught.
            failed = false;
            return output;
        }
        catch (Exception exception) when (Passes(exception, out failed))
        {
            throw; // Never reached: the filter says no.
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

    // A filter that only looks: was it an error? It runs for whatever leaves the call, the last exception deciding.
    private static bool Passes(Exception exception, out bool failed)
    {
        failed = !Interrupts.Carries(exception);
        return false;
    }

    // The three parts of a call by themselves, for one that another dispatcher makes: `module` is what hooks are given.
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

    // A-3 … A-6: the always-called hooks that have not run yet, on the lists as they are now.
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
            catch (Exception exception) when (!Interrupts.Carries(exception))
            {
                HookWarnings.Silence(module, global: true, exception);
            }
        }

        // Read only now: a global hook above may have registered or removed some.
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
            catch (Exception exception) when (!Interrupts.Carries(exception))
            {
                HookWarnings.Silence(module, global: false, exception);
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

    // Which hooks of the forward phase have begun (all zero until it begins), and the observer's number once it has one.
    internal struct CallState<TIn, TOut>
    {
        public HookRegistry<ForwardHook<object?[], object?>>.Entry[]? Global;
        public HookRegistry<ForwardHook<TIn, TOut>>.Entry[]? Own;
        public int GlobalStarted;
        public int OwnStarted;
        public bool Observed;
        public int Call;
    }
}
