using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <content>
        /// The call of a mirrored module whose hooks are all C#'s: PyTorch's <c>_call_impl</c>, step by step, on values as Python would hand them
        /// over, without entering Python.
        /// </content>
        public abstract partial class CallableModule<TArgs, TResult, TPreHook, TPostHook>
        {
            internal override bool CallsHere => Beside.Length == 0;

            internal override object? CallHere(object?[] arguments, HookPlan plan)
            {
                var link = Link!;
                Here state;
                if (arguments is [Tensor and TArgs one] && IsQuiet(link, plan))
                {
                    if (CallQuiet(one, link, plan, out var output) is not { } turned) return Nested(Tuples.Unpack(output));
                    state = turned;
                }
                else
                {
                    state = new Here { Args = arguments };
                    Dispatch(link, plan, state);
                }

                return state.IsReplaced ? state.Result : Nested(Tuples.Unpack(state.Output));
            }

            private TResult CallHere(TArgs args, ModuleLink link, HookPlan plan, out bool unseen)
            {
                if (args is Tensor && IsQuiet(link, plan))
                {
                    var turned = CallQuiet(args, link, plan, out var output);
                    unseen = true;
                    return turned is null ? output : Ended(turned, out unseen);
                }

                var state = new Here { Typed = args, IsTyped = true };
                Dispatch(link, plan, state);
                return Ended(state, out unseen);
            }

            private TResult Ended(Here state, out bool unseen)
            {
                unseen = state is { IsUnseen: true, IsTyped: true, IsReplaced: false };
                // A tensor that a hook gave is the hook's: the caller gets one of its own, as from Python.
                return state.IsReplaced ? Tuples<TResult>.Pack(Flat(Copied(state.Result))) : state.Output;
            }

            private void Dispatch(ModuleLink link, HookPlan plan, Here state)
            {
                RecordedPlace? place = RecordedPlace.Current, inside = null;
                var flows = place is not null && StartsTasks;
                var failed = false;
                try
                {
                    if (place is not null) inside = place.Enter(this, state.IsTyped ? Recorded(state.Typed) : state.Args, flows);
                    RunPreHooks(link, plan, state);
                    RunForward(link, state);
                    inside?.Leave(state.Output);
                    RunForwardHooks(link, plan, state);

                    // An exception that was seen passing and then replaced by one that code below caught.
                    failed = false;
                }
                catch (Exception exception) when (Passes(exception, out failed))
                {
                    throw; // Never reached: the filter says no.
                }
                finally
                {
                    try
                    {
                        if (failed && !state.IsFinished) Recover(link, state);
                    }
                    finally
                    {
                        if (place is not null) RecordedPlace.Return(place, flows);
                    }
                }
            }

            // A filter that only looks: was it an error (A-4)?
            private static bool Passes(Exception exception, out bool failed)
            {
                failed = !Interrupts.Carries(exception);
                return false;
            }

            private void RunPreHooks(ModuleLink link, HookPlan plan, Here state)
            {
                var hooks = plan.Pre;
                if (hooks.Length == 0 && state.IsTyped && state.Typed is Tensor)
                {
                    Give(link, plan, state);
                    return;
                }

                // What hooks make or keep belongs to no scope of the call.
                var scope = DisposeScope.Suspend();
                try
                {
                    Give(link, plan, state);
                    for (var i = 0; i < hooks.Length; i++)
                    {
                        ref readonly var entry = ref hooks[i];
                        var kwargs = i == 0 || link.Matches(plan) ? entry.WithKwargs : link.TakesKwargs(entry.Key, HookKind.Pre);
                        if (entry.Hook.IsTyped) RunTypedPreHook(link, entry.Hook, kwargs, state);
                        else RunUntypedPreHook(link, entry.Hook, kwargs, state);
                    }
                }
                finally
                {
                    DisposeScope.Resume(scope);
                }
            }

            private void RunTypedPreHook(ModuleLink link, Hook hook, bool kwargs, Here state)
            {
                object? changed;
                if (state.IsSimple && hook is Typed typed)
                {
                    var args = state.Typed;
                    typed.Pre(this, ref args);
                    changed = ReferenceEquals(args, state.Typed) ? null : new object?[] { Tuples.Unpack(args) };
                }
                else
                {
                    changed = hook.Invoke(this, Bound(link, kwargs, state));
                }

                if (changed is null) return;
                ChangeArguments(link, changed, state);
                if (kwargs) state.Kwargs = DictOfValues.Empty;
            }

            private void RunUntypedPreHook(ModuleLink link, Hook hook, bool kwargs, Here state)
            {
                CheckKwargs(hook, kwargs);
                if (!kwargs)
                {
                    if (hook.Invoke(this, hook.ReadsValues ? [state.Args] : Bridge.Torch.Hook.Unread) is { } changed) ChangeArguments(link, changed, state);
                    return;
                }

                var made = RunWithKwargs(link, hook, [state.Args, state.Kwargs], state);
                if (made[0] is not { } both) return;
                ChangeArguments(link, both, state);
                if (made[1] is DictOfValues named) Name(link, named, state);
            }

            private void RunForward(ModuleLink link, Here state)
            {
                if (!state.IsTyped || state.Kwargs.Items.Length > 0)
                {
                    var given = Copied(state.Args);
                    var bound = state.Kwargs.Items.Length > 0 ? link.Place(given, state.Kwargs) : given;
                    if (link.IsElsewhere)
                    {
                        state.Output = Tuples<TResult>.Pack(Flat(link.Forward(bound)));
                        return;
                    }

                    state.Typed = Gathered(ForwardParameter.Complete(this, bound));
                }
                else if (link.IsElsewhere)
                {
                    // A hook changed what C# does not compute with.
                    state.Output = Tuples<TResult>.Pack(Flat(link.Forward(Plain(state.Typed))));
                    return;
                }

                link.Prepare();
                state.Output = NeedsScope ? RunInScope(state.Typed) : Run(state.Typed);
            }

            private void RunForwardHooks(ModuleLink link, HookPlan plan, Here state)
            {
                var mine = DisposeScopeManager.Mine;
                var scope = mine.Suspend();
                try
                {
                    state.Result = Nested(Tuples.Unpack(state.Output));
                    if (!state.IsUnseen) state.Result = Shown(link, state.Result);
                    if (link.PlanAgain(plan) is not { } now)
                    {
                        See(link, state);
                        state.IsFinished = true;
                        Replace(link, link.Finish(state.Args, state.Kwargs, state.Result), state);
                        return;
                    }

                    if (now.ReadsValues) See(link, state);
                    RunForwardHooks(link, now, state, 0);
                }
                finally
                {
                    mine.Current = scope;
                }
            }

            // From the one of that number on; the scope is suspended.
            private void RunForwardHooks(ModuleLink link, HookPlan plan, Here state, int first)
            {
                var hooks = plan.Forward;
                for (var i = first; i < hooks.Length; i++)
                {
                    ref readonly var entry = ref hooks[i];
                    var unchanged = i == 0 || link.Matches(plan);
                    var kwargs = unchanged ? entry.WithKwargs : link.TakesKwargs(entry.Key, HookKind.Forward);
                    // Before it runs (A-2). One that becomes an always called one afterwards is not among them, so it runs again, as in PyTorch.
                    if (unchanged ? entry.AlwaysCall : link.IsAlwaysCalled(entry.Key)) (state.Begun ??= []).Add(entry.Key);
                    Replace(link, RunForwardHook(link, entry.Hook, kwargs, state), state);
                }
            }

            private object? RunForwardHook(ModuleLink link, Hook hook, bool kwargs, Here state)
            {
                if (hook.IsTyped && state.IsSimple && !state.IsReplaced && ReferenceEquals(state.Result, state.Output) && hook is Typed typed)
                {
                    var result = state.Output;
                    typed.Forward(this, state.Typed, ref result);
                    return ReferenceEquals(result, state.Output) ? null : Nested(Tuples.Unpack(result));
                }

                if (hook.IsTyped) return hook.Invoke(this, [.. Bound(link, kwargs, state), state.Result]);
                CheckKwargs(hook, kwargs);
                if (!kwargs) return hook.Invoke(this, hook.ReadsValues ? [state.Args, state.Result] : Bridge.Torch.Hook.Unread);
                return RunWithKwargs(link, hook, [state.Args, state.Kwargs, state.Result], state)[0];
            }

            private object?[] RunWithKwargs(ModuleLink link, Hook hook, object?[] values, Here state) =>
                (object?[])hook.InvokeWithKwargs(this, values, written => Name(link, written, state))!;

            private static void Recover(ModuleLink link, Here state)
            {
                if (state.Args is null) return; // the arguments themselves could not cross
                var scope = DisposeScope.Suspend();
                try
                {
                    See(link, state);
                    link.Recover(state.Args, state.Kwargs, state.Result, state.Begun ?? []);
                }
                finally
                {
                    DisposeScope.Resume(scope);
                }
            }

            // A hook that takes kwargs and does not get them, or the reverse: it was removed in its own phase (D-2).
            private static void CheckKwargs(Hook hook, bool kwargs)
            {
                if (hook.WithKwargs == kwargs) return;
                throw new InvalidCastException($"a {(hook.IsForward ? "forward" : "pre")} hook takes {(hook.WithKwargs ? "kwargs, which were not" : "no kwargs, but they were")} given (D-2)");
            }

            private static object?[] Bound(ModuleLink link, bool kwargs, Here state) =>
                kwargs && state.Kwargs.Items.Length > 0 ? link.Place(state.Args, state.Kwargs) : state.Args;

            // The arguments as hooks get them; the scope is suspended.
            private void Give(ModuleLink link, HookPlan plan, Here state)
            {
                if (!plan.ReadsValues && CallRecorder.Active == 0)
                {
                    state.IsUnseen = true;
                    if (!state.IsTyped) return;
                    state.IsSimple = state.Typed is Tensor;
                    if (!state.IsSimple) state.Args = Plain(state.Typed);
                    return;
                }

                if (state.IsTyped && state.Typed is Tensor tensor)
                {
                    var shown = tensor.Show();
                    state.Args = [shown];
                    state.IsSimple = ReferenceEquals(shown, tensor);
                    return;
                }

                state.Args = (object?[])Shown(link, state.IsTyped ? Plain(state.Typed) : state.Args)!;
            }

            // From here on somebody may keep the values.
            private static void See(ModuleLink link, Here state)
            {
                if (!state.IsUnseen) return;
                state.IsUnseen = false;
                var shown = (object?[])Shown(link, state.Args)!;
                if (state.IsSimple) state.IsSimple = ReferenceEquals(shown[0], state.Args[0]);
                state.Args = shown;
                state.Result = Shown(link, state.Result);
            }

            private static void ChangeArguments(ModuleLink link, object changed, Here state)
            {
                state.Args = (object?[])Shown(link, changed as object?[] ?? [changed])!;
                state.IsTyped = state.IsSimple = false;
            }

            private static void Replace(ModuleLink link, object? changed, Here state)
            {
                if (changed is null || ReferenceEquals(changed, state.Result)) return;
                state.Result = Shown(link, changed);
                state.IsReplaced = true;
            }

            private static void Name(ModuleLink link, DictOfValues kwargs, Here state)
            {
                state.Kwargs = (DictOfValues)Shown(link, kwargs)!;
                state.IsSimple &= kwargs.Items.Length == 0;
            }

            // A value as hooks get it: as if it came from Python, tensors of C#'s own excepted.
            private static object? Shown(ModuleLink link, object? value) => value switch
            {
                Tensor tensor => tensor.Show(),
                null or bool or long or double or string => value,
                int number => (long)number,
                float number => (double)number,
                ulong and > long.MaxValue => value,
                object?[] items => Array.ConvertAll(items, item => Shown(link, item)),
                ListOfValues list => new ListOfValues(Array.ConvertAll(list.Items, item => Shown(link, item))),
                DictOfValues map => new DictOfValues(Array.ConvertAll(map.Items, item => KeyValuePair.Create(item.Key, Shown(link, item.Value)))),
                _ => Shown(link, link.Cross(value)),
            };

            private static object?[] Copied(object?[] values) => Array.ConvertAll(values, Copied);

            // In the scope of the caller.
            private static object? Copied(object? value) => value switch
            {
                Tensor tensor => Tensor.Own(tensor.NewHandle()),
                object?[] items => Copied(items),
                ListOfValues list => new ListOfValues(Copied(list.Items)),
                DictOfValues map => new DictOfValues(Array.ConvertAll(map.Items, item => KeyValuePair.Create(item.Key, Copied(item.Value)))),
                _ => value,
            };

            /// <summary>The state of one call: what <c>_call_impl</c> has in its local variables.</summary>
            /// <remarks>
            /// No struct: clearing one of this size leaves the upper halves of vector registers in use while <c>forward</c> runs, and then libtorch's code of
            /// 128 bits waits at each instruction (a hooked Linear took 1.4 us more instead of 0.1).
            /// </remarks>
            private sealed class Here
            {
                /// <summary>The arguments by position, as hooks get them; null until they have crossed.</summary>
                /// <remarks>The only one is put into an array when that is needed: most hooks look at none.</remarks>
                internal object?[] Args { get => field ?? (IsSimple ? field = [Typed] : null!); set; }

                /// <summary>Those by name.</summary>
                internal DictOfValues Kwargs { get => field ?? DictOfValues.Empty; set; }

                /// <summary>The result as hooks get it.</summary>
                internal object? Result;

                /// <summary>The arguments with their types, while no hook has replaced them.</summary>
                internal TArgs Typed = default!;

                internal bool IsTyped;

                /// <summary>There is one argument, and what hooks get is that very tensor.</summary>
                internal bool IsSimple;

                /// <summary>No hook loads the values: they are as <c>forward</c> has them, and nobody keeps them.</summary>
                internal bool IsUnseen;

                /// <summary>What <c>forward</c> gave.</summary>
                internal TResult Output = default!;

                /// <summary>A hook has replaced it.</summary>
                internal bool IsReplaced;

                /// <summary>Python has run the forward hooks, and what follows a failure.</summary>
                internal bool IsFinished;

                /// <summary>The forward hooks that have begun and were always called ones by then.</summary>
                internal List<long>? Begun;
            }
        }
    }
}
