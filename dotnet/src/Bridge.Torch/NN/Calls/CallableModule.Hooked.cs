using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <content>
        /// Calls of a mirrored module (one that a Python <c>nn.Module</c> represents) whose hooks C# can run: C# hooks, or a single Python
        /// forward hook (<see cref="HandleHook"/>). These calls take the
        /// steps of PyTorch's <c>_call_impl</c> in C#, on values as Python would pass them. A plan is the list of the hooks. The hooks of a
        /// value-free plan (<see cref="HookPlan.IsValueFree"/>) read neither the arguments nor the result.
        /// </content>
        public abstract unsafe partial class CallableModule<TArgs, TResult, TPreHook, TPostHook>
        {
            internal override bool DispatchesInCSharp => ExtraArgs.Length == 0;

            /// <summary>
            /// Returns whether the call can start without a <see cref="CallState"/>: its plan is value-free, no recording is active, and C#
            /// computes the result.
            /// </summary>
            private static bool CanOmitValues(ModuleLink link, HookPlan plan) =>
                plan.IsValueFree && CallRecorder.Active == 0 && !link.RunsInPython;

            internal override object? CallHooked(object?[] arguments, HookPlan plan)
            {
                var link = Link!;
                CallState state;
                if (arguments is [Tensor and TArgs tensor] && CanOmitValues(link, plan))
                {
                    if (CallWithoutValues(tensor, link, plan, out var output) is not { } created) return NestResult(Tuples.Unpack(output));
                    state = created;
                }
                else
                {
                    state = new CallState { Args = arguments };
                    Dispatch(link, plan, state);
                }

                return state.IsResultReplaced ? state.Result : NestResult(Tuples.Unpack(state.Output));
            }

            private TResult CallHooked(TArgs args, ModuleLink link, HookPlan plan, out bool valuesUnread)
            {
                if (args is Tensor && CanOmitValues(link, plan))
                {
                    var created = CallWithoutValues(args, link, plan, out var output);
                    valuesUnread = true;
                    return created is null ? output : ResultOf(created, out valuesUnread);
                }

                var state = new CallState { Typed = args, IsTyped = true };
                Dispatch(link, plan, state);
                return ResultOf(state, out valuesUnread);
            }

            private TResult ResultOf(CallState state, out bool valuesUnread)
            {
                valuesUnread = state is { ValuesUnread: true, IsTyped: true, IsResultReplaced: false };
                // A tensor that a hook returned belongs to the hook. The caller gets a handle of its own, as if Python had returned it.
                return state.IsResultReplaced ? Tuples<TResult>.Pack(FlattenResult(CopyHandles(state.Result))) : state.Output;
            }

            private void Dispatch(ModuleLink link, HookPlan plan, CallState state)
            {
                RecordedFrame? frame = RecordedFrame.Current, inner = null;
                var flows = frame is not null && StartsTasks;
                var failed = false;
                try
                {
                    if (frame is not null) inner = frame.Push(this, state.IsTyped ? RecordedArgs(state.Typed) : state.Args, flows);
                    RunPreHooks(link, plan, state);
                    RunForward(link, state);
                    inner?.RecordResult(state.Output);
                    RunForwardHooks(link, plan, state);

                    // The call has succeeded, but the filter may have set `failed`: the filter runs before the finally blocks of inner
                    // calls, and one of them may have thrown another exception, which replaced the first and was caught.
                    failed = false;
                }
                catch (Exception exception) when (NoteFailure(exception, out failed))
                {
                    throw; // never reached: the filter returns false
                }
                finally
                {
                    try
                    {
                        if (failed && !state.IsFinishedByPython) RunAlwaysCalledHooks(link, state);
                    }
                    finally
                    {
                        if (frame is not null) RecordedFrame.Restore(frame, flows);
                    }
                }
            }

            // An exception filter that returns false. Sets `failed` to whether the exception is an error, not an interrupt.
            private static bool NoteFailure(Exception exception, out bool failed)
            {
                failed = !InterruptCheck.IsInterrupt(exception);
                return false;
            }

            private void RunPreHooks(ModuleLink link, HookPlan plan, CallState state)
            {
                var hooks = plan.Pre;
                if (hooks.Length == 0 && state.IsTyped && state.Typed is Tensor)
                {
                    PrepareArgs(link, plan, state);
                    return;
                }

                // Tensors that hooks create or keep must outlive the dispose scope of the call.
                var scope = DisposeScope.Suspend();
                try
                {
                    PrepareArgs(link, plan, state);
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

            private void RunTypedPreHook(ModuleLink link, RegisteredHook hook, bool kwargs, CallState state)
            {
                object? changed;
                if (state.IsSingleTensor && hook is TypedHook typed)
                {
                    var args = state.Typed;
                    typed.RunPre(this, ref args);
                    changed = ReferenceEquals(args, state.Typed) ? null : new object?[] { Tuples.Unpack(args) };
                }
                else
                {
                    changed = hook.Invoke(this, BindKwargs(link, kwargs, state));
                }

                if (changed is null) return;
                ReplaceArgs(link, changed, state);
                if (kwargs) state.Kwargs = DictOfValues.Empty;
            }

            private void RunUntypedPreHook(ModuleLink link, RegisteredHook hook, bool kwargs, CallState state)
            {
                CheckKwargs(hook, kwargs);
                if (!kwargs)
                {
                    object?[] values = hook.ReadsValues ? [state.Args] : RegisteredHook.NoValues;
                    if (hook.Invoke(this, values) is { } changed) ReplaceArgs(link, changed, state);
                    return;
                }

                var returned = InvokeWithKwargs(link, hook, [state.Args, state.Kwargs], state);
                if (returned[0] is not { } args) return;
                ReplaceArgs(link, args, state);
                if (returned[1] is DictOfValues named) ReplaceKwargs(link, named, state);
            }

            private void RunForward(ModuleLink link, CallState state)
            {
                if (!state.IsTyped || state.Kwargs.Items.Length > 0)
                {
                    var given = CopyHandles(state.Args);
                    var bound = state.Kwargs.Items.Length > 0 ? link.BindArguments(given, state.Kwargs) : given;
                    if (link.RunsInPython)
                    {
                        state.Output = Tuples<TResult>.Pack(FlattenResult(link.Forward(bound)));
                        return;
                    }

                    state.Typed = UnboxOrExplain(ForwardParameter.Complete(this, bound));
                }
                else if (link.RunsInPython)
                {
                    // After the plan was made, the module, its forward or an attribute was replaced in Python.
                    state.Output = Tuples<TResult>.Pack(FlattenResult(link.Forward(PlainArgs(state.Typed))));
                    return;
                }

                link.Prepare();
                state.Output = ForwardOrScope(state.Typed);
            }

            private void RunForwardHooks(ModuleLink link, HookPlan plan, CallState state)
            {
                var scopes = DisposeScopeManager.ForThread;
                var scope = scopes.Suspend();
                try
                {
                    state.Result = NestResult(Tuples.Unpack(state.Output));
                    if (!state.ValuesUnread) state.Result = ToHookValue(link, state.Result);
                    if (link.UpdatePlan(plan) is not { } current)
                    {
                        ExposeValues(link, state);
                        state.IsFinishedByPython = true;
                        ReplaceResult(link, link.Finish(state.Args, state.Kwargs, state.Result), state);
                        return;
                    }

                    if (current.ReadsValues) ExposeValues(link, state);
                    RunForwardHooks(link, current, state, 0);
                }
                finally
                {
                    scopes.Current = scope;
                }
            }

            // Starts at the hook of index `first`. The caller has suspended the dispose scope.
            private void RunForwardHooks(ModuleLink link, HookPlan plan, CallState state, int first)
            {
                var hooks = plan.Forward;
                for (var i = first; i < hooks.Length; i++)
                {
                    ref readonly var entry = ref hooks[i];
                    var unchanged = i == 0 || link.Matches(plan);
                    var kwargs = unchanged ? entry.WithKwargs : link.TakesKwargs(entry.Key, HookKind.Forward);
                    // Added before the hook runs. As in PyTorch, a hook that becomes always-called only after its start runs again
                    // if the call fails.
                    if (unchanged ? entry.AlwaysCall : link.IsAlwaysCalled(entry.Key)) (state.StartedAlwaysCalled ??= []).Add(entry.Key);
                    ReplaceResult(link, RunForwardHook(link, entry.Hook, kwargs, state), state);
                }
            }

            private object? RunForwardHook(ModuleLink link, RegisteredHook hook, bool kwargs, CallState state)
            {
                if (hook.IsTyped && state.IsSingleTensor && !state.IsResultReplaced && ReferenceEquals(state.Result, state.Output)
                    && hook is TypedHook typed)
                {
                    var result = state.Output;
                    typed.RunForward(this, state.Typed, ref result);
                    return ReferenceEquals(result, state.Output) ? null : NestResult(Tuples.Unpack(result));
                }

                if (hook.IsTyped) return hook.Invoke(this, [.. BindKwargs(link, kwargs, state), state.Result]);
                CheckKwargs(hook, kwargs);
                if (!kwargs) return hook.Invoke(this, hook.NeedsValues ? [state.Args, state.Result] : RegisteredHook.NoValues);
                return InvokeWithKwargs(link, hook, [state.Args, state.Kwargs, state.Result], state)[0];
            }

            private object?[] InvokeWithKwargs(ModuleLink link, RegisteredHook hook, object?[] values, CallState state) =>
                (object?[])hook.InvokeWithKwargs(this, values, changed => ReplaceKwargs(link, changed, state))!;

            private static void RunAlwaysCalledHooks(ModuleLink link, CallState state)
            {
                if (state.Args is null) return; // the arguments could not be converted
                var scope = DisposeScope.Suspend();
                try
                {
                    ExposeValues(link, state);
                    link.Recover(state.Args, state.Kwargs, state.Result, state.StartedAlwaysCalled ?? []);
                }
                finally
                {
                    DisposeScope.Resume(scope);
                }
            }

            // PyTorch calls a hook that was removed during its own phase as if it had no with_kwargs flag (D-2).
            private static void CheckKwargs(RegisteredHook hook, bool kwargs)
            {
                if (hook.WithKwargs == kwargs) return;
                var kind = hook.IsForward ? "forward" : "pre";
                throw new InvalidCastException(hook.WithKwargs
                    ? $"a {kind} hook takes kwargs, which were not given (D-2)"
                    : $"a {kind} hook takes no kwargs, but they were given (D-2)");
            }

            private static object?[] BindKwargs(ModuleLink link, bool kwargs, CallState state) =>
                kwargs && state.Kwargs.Items.Length > 0 ? link.BindArguments(state.Args, state.Kwargs) : state.Args;

            // Converts the arguments for the hooks if a hook or a recording reads them.
            private void PrepareArgs(ModuleLink link, HookPlan plan, CallState state)
            {
                if (!plan.ReadsValues && CallRecorder.Active == 0)
                {
                    state.ValuesUnread = true;
                    if (!state.IsTyped) return;
                    state.IsSingleTensor = state.Typed is Tensor;
                    if (!state.IsSingleTensor) state.Args = PlainArgs(state.Typed);
                    return;
                }

                if (state.IsTyped && state.Typed is Tensor tensor)
                {
                    var exposed = tensor.ExposeToHook();
                    state.Args = [exposed];
                    state.IsSingleTensor = ReferenceEquals(exposed, tensor);
                    return;
                }

                state.Args = (object?[])ToHookValue(link, state.IsTyped ? PlainArgs(state.Typed) : state.Args)!;
            }

            // Converts the arguments and the result, if not done yet, for hooks that may keep them.
            private static void ExposeValues(ModuleLink link, CallState state)
            {
                if (!state.ValuesUnread) return;
                state.ValuesUnread = false;
                var exposed = (object?[])ToHookValue(link, state.Args)!;
                if (state.IsSingleTensor) state.IsSingleTensor = ReferenceEquals(exposed[0], state.Args[0]);
                state.Args = exposed;
                state.Result = ToHookValue(link, state.Result);
            }

            private static void ReplaceArgs(ModuleLink link, object changed, CallState state)
            {
                state.Args = (object?[])ToHookValue(link, changed as object?[] ?? [changed])!;
                state.IsTyped = state.IsSingleTensor = false;
            }

            private static void ReplaceKwargs(ModuleLink link, DictOfValues kwargs, CallState state)
            {
                state.Kwargs = (DictOfValues)ToHookValue(link, kwargs)!;
                state.IsSingleTensor &= kwargs.Items.Length == 0;
            }

            private static void ReplaceResult(ModuleLink link, object? changed, CallState state)
            {
                if (changed is null || ReferenceEquals(changed, state.Result)) return;
                state.Result = ToHookValue(link, changed);
                state.IsResultReplaced = true;
            }

            // Converts a value as if it came from Python, except that a Tensor that C# owns stays the same object.
            private static object? ToHookValue(ModuleLink link, object? value) => value switch
            {
                Tensor tensor => tensor.ExposeToHook(),
                null or bool or long or double or string => value,
                int number => (long)number,
                float number => (double)number,
                ulong and > long.MaxValue => value,
                object?[] items => Array.ConvertAll(items, item => ToHookValue(link, item)),
                ListOfValues list => new ListOfValues(Array.ConvertAll(list.Items, item => ToHookValue(link, item))),
                DictOfValues map => new DictOfValues(
                    Array.ConvertAll(map.Items, item => KeyValuePair.Create(item.Key, ToHookValue(link, item.Value)))),
                _ => ToHookValue(link, link.Cross(value)),
            };

            private static object?[] CopyHandles(object?[] values) => Array.ConvertAll(values, CopyHandles);

            // Replaces each tensor by a new handle in the caller's dispose scope.
            private static object? CopyHandles(object? value) => value switch
            {
                Tensor tensor => Tensor.Own(tensor.NewHandle()),
                object?[] items => CopyHandles(items),
                ListOfValues list => new ListOfValues(CopyHandles(list.Items)),
                DictOfValues map =>
                    new DictOfValues(Array.ConvertAll(map.Items, item => KeyValuePair.Create(item.Key, CopyHandles(item.Value)))),
                _ => value,
            };

            // Calls a module with one tensor and a value-free plan. Returns the state if one was created; otherwise null.
            private CallState? CallWithoutValues(TArgs args, ModuleLink link, HookPlan plan, out TResult output)
            {
                output = default!;
                CallState? state = null;
                var failed = false;
                try
                {
                    link.Prepare();
                    output = NeedsScope ? ForwardInScope(args) : InvokeForward(args);
                    if (output is Tensor && link.UpdatePlan(plan) == plan) RunValueFreeHooks(link, plan, args, output, ref state);
                    else RunForwardHooks(link, plan, state = NewState(args, output));

                    // The call has succeeded, but the filter may have set `failed`: the filter runs before the finally blocks of inner
                    // calls, and one of them may have thrown another exception, which replaced the first and was caught.
                    failed = false;
                }
                catch (Exception exception) when (NoteFailure(exception, out failed))
                {
                    throw; // never reached: the filter returns false
                }
                finally
                {
                    if (failed && state is not { IsFinishedByPython: true }) RunAlwaysCalledHooks(link, state ?? NewState(args, output));
                }

                return state;
            }

            // Suspends the dispose scope: tensors that hooks create or keep must outlive the call.
            private void RunValueFreeHooks(ModuleLink link, HookPlan plan, TArgs args, TResult output, ref CallState? state)
            {
                var scopes = DisposeScopeManager.ForThread;
                var scope = scopes.Suspend();
                try
                {
                    var hooks = plan.Forward;
                    for (var i = 0; i < hooks.Length; i++)
                    {
                        if (i > 0 && !link.Matches(plan))
                        {
                            RunForwardHooks(link, plan, state = NewState(args, output), i);
                            return;
                        }

                        var changed = RunValueFreeHook(hooks[i].Hook, args, output);
                        if (changed is null || ReferenceEquals(changed, output)) continue;
                        state = NewState(args, output);
                        ReplaceResult(link, changed, state);
                        RunForwardHooks(link, plan, state, i + 1);
                        return;
                    }
                }
                finally
                {
                    scopes.Current = scope;
                }
            }

            private object? RunValueFreeHook(RegisteredHook hook, TArgs args, TResult output)
            {
                if (!hook.IsTyped) return hook.Invoke(this, hook.NeedsValues ? [new object?[] { args }, output] : RegisteredHook.NoValues);
                if (hook is not TypedHook typed) return hook.Invoke(this, [args, output]);
                var result = output;
                typed.RunForward(this, args, ref result);
                return result;
            }

            /// <summary>
            /// Runs the remaining hooks of a fused call, in which <see cref="Modules.OperatorChain"/> has run the operator without calling
            /// the module.
            /// </summary>
            /// <param name="link">The module's link.</param>
            /// <param name="plan">A value-free plan.</param>
            /// <param name="ran">The number of hooks that ran; 0 if the hook list changed before the first.</param>
            /// <param name="changed">The return value of the last hook that ran.</param>
            /// <param name="scopes">The thread's dispose scopes.</param>
            /// <param name="scope">The dispose scope of the call, which is suspended.</param>
            /// <param name="input">The handle of the input. Zeroed once a Tensor owns it.</param>
            /// <param name="result">The handle of the result. Zeroed once a Tensor owns it.</param>
            /// <returns>The result if a Tensor was created; null if the caller still owns the handle <paramref name="result"/>.</returns>
            internal TResult? FinishFusedCall(
                ModuleLink link, HookPlan plan, int ran, object? changed, DisposeScopeManager scopes, DisposeScope? scope, ref IntPtr input,
                    ref IntPtr result)
            {
                var hooks = plan.ValueFreeDelegates!;
                CallState? state = null;
                var failed = false;
                try
                {
                    changed = Tuples.Unpack(changed);
                    while (ran > 0 && changed is null)
                    {
                        if (ran == hooks.Length) return default;
                        if (!link.HasForward(plan)) break;
                        changed = Tuples.Unpack(hooks[ran++](this, [], null));
                    }

                    scopes.Current = scope;
                    state = NewState(ref input, ref result);
                    scopes.Current = null;
                    if (changed is not null) ReplaceResult(link, changed, state);
                    if (ran > 0) RunForwardHooks(link, plan, state, ran);
                    else RunForwardHooks(link, plan, state);

                    // The call has succeeded, but the filter may have set `failed`: the filter runs before the finally blocks of inner
                    // calls, and one of them may have thrown another exception, which replaced the first and was caught.
                    failed = false;
                }
                catch (Exception exception) when (NoteFailure(exception, out failed))
                {
                    throw; // never reached: the filter returns false
                }
                finally
                {
                    scopes.Current = scope;
                    if (failed && state is not { IsFinishedByPython: true })
                        RunAlwaysCalledHooks(link, state ?? NewState(ref input, ref result));
                }

                return ResultOf(state, out _);
            }

            /// <summary>Runs the always-called hooks of a fused call whose operator or first hook failed.</summary>
            internal static void RecoverFusedCall(ModuleLink link, ref IntPtr input, ref IntPtr result) =>
                RunAlwaysCalledHooks(link, NewState(ref input, ref result));

            private static CallState NewState(ref IntPtr input, ref IntPtr result)
            {
                var args = Tuples<TArgs>.Pack(input == IntPtr.Zero ? null : Tensor.Own(input));
                input = IntPtr.Zero;
                var output = result == IntPtr.Zero ? default! : Tuples<TResult>.Pack(Tensor.Own(result));
                result = IntPtr.Zero;
                return NewState(args, output);
            }

            private static CallState NewState(TArgs args, TResult output) => new()
            {
                Typed = args,
                IsTyped = true,
                IsSingleTensor = true,
                ValuesUnread = true,
                Output = output,
                Result = Tuples.Unpack(output),
            };

            /// <summary>The state of one hooked call: the local variables of <c>_call_impl</c>.</summary>
            /// <remarks>
            /// This is a class, because clearing a struct of this size leaves the upper halves of vector registers in use, which slows
            /// libtorch's 128-bit code.
            /// </remarks>
            private sealed class CallState
            {
                /// <summary>Gets or sets the positional arguments as hooks get them; null until they are converted.</summary>
                /// <remarks>A single tensor is put into an array on first use: most hooks read no argument.</remarks>
                internal object?[] Args { get => field ?? (IsSingleTensor ? field = [Typed] : null!); set; }

                internal DictOfValues Kwargs { get => field ?? DictOfValues.Empty; set; }

                /// <summary>The arguments as <c>forward</c> takes them.</summary>
                internal TArgs Typed = default!;

                /// <summary>Whether <see cref="Typed"/> holds the current arguments; otherwise only <see cref="Args"/> does.</summary>
                internal bool IsTyped;

                /// <summary>Whether the only argument is a tensor, which hooks get as the same object.</summary>
                internal bool IsSingleTensor;

                /// <summary>
                /// Whether the arguments and the result have not yet reached a hook that may keep them. Until they do, they are not
                /// converted for hooks.
                /// </summary>
                internal bool ValuesUnread;

                /// <summary>The result that <c>forward</c> returned.</summary>
                internal TResult Output = default!;

                /// <summary>The result as hooks get it.</summary>
                internal object? Result;

                internal bool IsResultReplaced;

                /// <summary>Whether Python has taken over the forward hooks, including the always-called ones after a failure.</summary>
                internal bool IsFinishedByPython;

                /// <summary>The keys of forward hooks that were always-called when they started.</summary>
                internal List<long>? StartedAlwaysCalled;
            }
        }
    }
}
