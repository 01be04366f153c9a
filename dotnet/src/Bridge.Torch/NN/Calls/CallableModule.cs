using System.Runtime.CompilerServices;
using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// The base class of callable modules of any arity. Its subclasses <c>Module&lt;T, TResult&gt;</c>, … convert between arguments and
        /// tuples.
        /// </summary>
        /// <remarks>
        /// A mirrored module is represented in Python by an <c>nn.Module</c>, its mirror, to which <c>Link</c> leads. The path of a call,
        /// and the condition of each branch:
        /// <code>
        /// call(args)
        ///  ├─ IsDirect ─────────────────► forward               no mirror, no hook ever, no global hook, recording or call from Python
        ///  ├─ IsUnhooked ───────────────► forward               (in a scope if NeedsScope)
        ///  └─ CallObserved(args)
        ///      ├─ Link.NeedsDispatch
        ///      │   ├─ Link.Plan() ──────► CallHooked            no extra arguments, hooks that C# can run: _call_impl's steps in C#
        ///      │   │   ├─ CanOmitValues ► CallWithoutValues     no CallState until a hook needs the arguments or the result
        ///      │   │   └─ otherwise ────► Dispatch(CallState)
        ///      │   └─ otherwise ────────► Link.Call             PyTorch's _call_impl in Python
        ///      ├─ hooks, no mirror ─────► Dispatcher.CallHooked
        ///      └─ otherwise ────────────► forward               (recorded if RecordedFrame.Current is not null)
        /// </code>
        /// <c>CallHooked</c> and what it calls are in CallableModule.Hooked.cs. <c>OperatorChain</c> bypasses these methods: it runs the
        /// operators of a Sequential's built-in modules directly. If such a module has hooks, <c>OperatorChain</c> calls the first
        /// hook, and <c>FinishFusedCall</c> the other hooks.
        /// </remarks>
        /// <typeparam name="TArgs">The type of the single argument, or of the tuple of the arguments.</typeparam>
        /// <typeparam name="TResult">The type of the result.</typeparam>
        /// <typeparam name="TPreHook">The type of a pre hook that gets the arguments one by one.</typeparam>
        /// <typeparam name="TPostHook">The type of a forward hook that gets the arguments one by one.</typeparam>
        public abstract partial class CallableModule<TArgs, TResult, TPreHook, TPostHook>
            : HookableModule<TPreHook, TPostHook>, IHookTarget<TArgs, TResult>
            where TPreHook : Delegate
            where TPostHook : Delegate
        {
            private HookSite<TArgs, TResult>? _site;

            private protected CallableModule(string name) : base(name) { }

            private protected CallableModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>
            /// Gets whether a cheap test shows that a call that starts now only runs <c>forward</c> (C-5): the module is not mirrored and
            /// was never hooked, and the process has no global hook, recording or call from Python.
            /// </summary>
            private protected bool IsDirect
            {
                [MethodImpl(MethodImplOptions.AggressiveInlining)]
                get => Link is null && _site is null && ListenerCount.IsZero && !DisposeScope.HasCalls;
            }

            /// <summary>
            /// Gets whether a call that starts now runs only the C# <c>forward</c> (C-5) and no recording is active. If true, the
            /// parameters are up to date with Python's.
            /// </summary>
            private protected bool IsUnhooked
            {
                [MethodImpl(MethodImplOptions.AggressiveInlining)]
                get
                {
                    var link = Link;
                    if (link is null) return CallRecorder.Active == 0 && Dispatcher.IsBare(_site);
                    if (CallRecorder.Active != 0 || link.NeedsDispatch) return false;
                    link.PrepareComputed();
                    return true;
                }
            }

            /// <summary>
            /// Gets whether <c>forward</c> needs a dispose scope of its own: it may create intermediate tensors, and the thread's innermost
            /// scope is that of a call.
            /// </summary>
            private protected bool NeedsScope
            {
                [MethodImpl(MethodImplOptions.AggressiveInlining)]
                get => MakesIntermediates && DisposeScope.InCall;
            }

            /// <summary>Gets whether every call of this module goes to Python (<see cref="ModuleLink.IsReplaced"/>).</summary>
            private protected bool RunsInPython => Link is { RunsInPython: true };

            /// <summary>
            /// Gets <see cref="RunsInPython"/> after fetching changes of the descendants, for a module whose <c>forward</c> reads their
            /// state.
            /// </summary>
            private protected bool TreeRunsInPython => Link is { TreeRunsInPython: true };

            private protected abstract TResult InvokeForward(TArgs args);

            /// <summary>Converts the arguments to an array.</summary>
            private protected abstract object?[] BoxArgs(TArgs args);

            /// <summary>Converts an array from a hook or Python to arguments.</summary>
            private protected abstract TArgs UnboxArgs(object?[] args);

            private protected abstract void RunPreHook(TPreHook hook, ref TArgs args);

            private protected abstract void RunPostHook(TPostHook hook, TArgs args, ref TResult result);

            /// <summary>
            /// Gets the extra arguments of the call that starts: trailing <c>forward</c> arguments that PyTorch has and TorchSharp's type
            /// lacks. Their parameters are the last of <see cref="Module.Parameters"/>.
            /// </summary>
            private protected virtual object?[] ExtraArgs => [];

            /// <summary>Sets the extra arguments of the next <see cref="InvokeForward"/>.</summary>
            private protected virtual void SetExtraArgs(object?[] extra) { }

            /// <summary>Converts a result to PyTorch's nesting of tuples, where TorchSharp's differs, as for an LSTM's states.</summary>
            private protected virtual object? NestResult(object? result) => result;

            /// <summary>Converts a result from Python or a hook to TorchSharp's nesting: the inverse of <see cref="NestResult"/>.</summary>
            private protected virtual object? FlattenResult(object? result) => result;

            /// <summary>Converts a result to the object that global hooks get.</summary>
            private protected virtual object? GlobalHookResult(TResult result) => result;

            /// <summary>Calls <c>forward</c> of the Python module, with extra arguments (see <see cref="ExtraArgs"/>).</summary>
            private protected TResult ForwardInPython(TArgs args, params object?[] extra) =>
                Tuples<TResult>.Pack(FlattenResult(Link!.Forward(PythonArgs(args, extra))));

            /// <summary>Calls <c>forward</c> in a dispose scope that ends with the call.</summary>
            /// <remarks>
            /// .NET has no reference counts: without the scope, all intermediate tensors of a model would live until the model's outermost
            /// call returns.
            /// </remarks>
            private protected TResult ForwardInScope(TArgs args)
            {
                var scope = new DisposeScope(ofCall: true, callee: this);
                try
                {
                    scope.BeginForward(DisposeScopeManager.ForThread);
                    var result = InvokeForward(args);
                    ReachableTensors.MoveToOuter(result, scope);
                    return result;
                }
                finally
                {
                    EndScope(scope, args);
                }
            }

            /// <summary>Runs <c>forward</c>, in a scope if it needs one.</summary>
            private protected TResult ForwardOrScope(TArgs args) => MemoryLog.Current is { } log
                ? Measured(log, args, NeedsScope) : NeedsScope ? ForwardInScope(args) : InvokeForward(args);

            /// <summary>Runs <c>forward</c> while memory is measured: a class of the model has no scope, as in TorchSharp.</summary>
            private TResult Measured(MemoryLog log, TArgs args, bool scoped)
            {
                scoped &= this is Modules.Sequential || !ShapeReads.IsModelAssembly(GetType().Assembly);
                var call = log.Begin(this, args);
                try
                {
                    var result = scoped ? ForwardInScope(args) : InvokeForward(args);
                    log.End(call, result);
                    return result;
                }
                finally
                {
                    log.Leave(call);
                }
            }

            // The outermost call is in a scope already.
            private TResult ComputeOutermost(TArgs args) =>
                MemoryLog.Current is { } log ? Measured(log, args, MakesIntermediates) : InvokeForward(args);

            /// <summary>Ends the dispose scope of a <c>forward</c>; tensors that fields or arguments refer to outlive the scope.</summary>
            private protected void EndScope(DisposeScope scope, TArgs args)
            {
                if (scope.DisposablesCount > 0)
                {
                    ReachableTensors.Detach(RetainingFields);
                    if (args is not Tensor) ReachableTensors.Detach(args);
                }

                scope.EndCall();
            }

            /// <summary>Gets whether <c>forward</c> itself may keep its argument, a large tensor, beyond the call.</summary>
            private protected bool MayKeepArgument => !RetainsNothing && GetType() != typeof(Modules.Sequential)
                && ForwardUses.Of(GetType()) is not { IsKnown: true, Escaped: 0 };

            /// <summary>Makes a call that may be hooked or recorded. Not inlined, to keep the stack frame of <c>call</c> small.</summary>
            [MethodImpl(MethodImplOptions.NoInlining)]
            private protected TResult CallObserved(TArgs args) => CallObserved(args, out _);

            /// <inheritdoc cref="CallObserved(TArgs)"/>
            /// <param name="args">The arguments.</param>
            /// <param name="valuesUnread">True if there are hooks, but none can keep the arguments or the result; otherwise false.</param>
            private protected TResult CallObserved(TArgs args, out bool valuesUnread)
            {
                valuesUnread = false;
                if (Link is { } link)
                {
                    if (link.NeedsDispatch)
                    {
                        if (DispatchesInCSharp && link.Plan() is { } plan) return CallHooked(args, link, plan, out valuesUnread);
                        return Tuples<TResult>.Pack(FlattenResult(
                            args is Tensor tensor && ExtraArgs.Length == 0 ? link.Call(tensor) : link.Call(PythonArgs(args, ExtraArgs))));
                    }

                    link.Prepare();
                }
                else if (!Dispatcher.IsBare(_site))
                {
                    return Dispatcher.CallHooked(this, args, RecordedFrame.Current?.Observe<TArgs, TResult>(this, RecordedArgs));
                }

                if (RecordedFrame.Current is not { } frame) return ForwardOrScope(args);
                var flows = StartsTasks;
                var inner = frame.Push(this, RecordedArgs(args), flows);
                try
                {
                    var result = ForwardOrScope(args);
                    inner?.RecordResult(result);
                    return result;
                }
                finally
                {
                    RecordedFrame.Restore(frame, flows);
                }
            }

            private object? RecordedArgs(TArgs args) => TrimArgs(args) is { } given ? new ListOfValues(given) : args;

            private object?[] PythonArgs(TArgs args, object?[] extra) =>
                ForwardParameter.Trim(this, [.. BoxArgs(args), .. extra]).Select(Tuples.Unpack).ToArray();

            /// <summary>Returns <paramref name="args"/> as Python would pass them, without trailing defaults; null if unchanged.</summary>
            private object?[]? TrimArgs(TArgs args)
            {
                var extra = ExtraArgs;
                if ((args is Tensor && extra.Length == 0) || !Parameters[^1].HasDefault) return null;
                object?[] all = [.. BoxArgs(args), .. extra];
                var given = ForwardParameter.Trim(this, all);
                return given == all && extra.Length == 0 ? null : given;
            }

            // Drops the extra arguments, which hooks that get the arguments one by one do not see.
            private TArgs TypedArgs(object?[] arguments) => UnboxOrExplain(ForwardParameter.Complete(this, arguments)[..^ExtraArgs.Length]);

            private TArgs UnboxOrExplain(object?[] arguments)
            {
                try
                {
                    return UnboxArgs(arguments);
                }
                catch (InvalidCastException exception)
                {
                    var types = arguments.Length == 1 ? [typeof(TArgs)] : typeof(TArgs).GetGenericArguments();
                    throw ForwardParameter.Misfit(exception, this, arguments, types);
                }
            }

            internal override IReadOnlyList<ForwardParameter> Parameters => ForwardParameter.Of(GetType());

            internal override object? Invoke(object?[] arguments)
            {
                // The most common call, a single tensor, needs no parameter list.
                if (arguments is [Tensor and TArgs tensor] && ExtraArgs.Length == 0)
                    return NestResult(Tuples.Unpack(ComputeOutermost(tensor)));
                if (ForwardOverloads.Added(GetType()) is { } overloads && !overloads.FitsCall(arguments))
                    return overloads.Invoke(this, arguments);
                var all = ForwardParameter.Complete(this, arguments);
                if (ExtraArgs.Length is > 0 and var count)
                {
                    SetExtraArgs(all[^count..]);
                    all = all[..^count];
                }

                return NestResult(Tuples.Unpack(ComputeOutermost(UnboxOrExplain(all))));
            }

            HookSite<TArgs, TResult>? IHookTarget<TArgs, TResult>.Site => _site;

            TResult IHookTarget<TArgs, TResult>.Forward(TArgs args) => InvokeForward(args);

            object?[] IHookTarget<TArgs, TResult>.Box(TArgs args) => BoxArgs(args);

            TArgs IHookTarget<TArgs, TResult>.Unbox(object?[] args) => TypedArgs(args);

            object? IHookTarget<TArgs, TResult>.BoxResult(TResult result) => GlobalHookResult(result);

            TResult IHookTarget<TArgs, TResult>.UnboxResult(object? result) =>
                Tuples<TResult>.Pack(result is TResult ? result : FlattenResult(Tuples.Unpack(result)));

            private protected override RegisteredHook ForwardHook(Delegate hook, bool prepend, bool alwaysCall) =>
                new TypedHook(hook, HookKind.Forward, prepend, alwaysCall, GetType());

            private protected override RegisteredHook PreHook(Delegate hook, bool prepend) =>
                new TypedHook(hook, HookKind.Pre, prepend, false, GetType());

            private protected override IDisposable AddToRegistry(RegisteredHook hook)
            {
                Interlocked.CompareExchange(ref _site, new HookSite<TArgs, TResult>(), null);
                return hook.Kind switch
                {
                    HookKind.Pre => _site.Pre.Add((object _, ref TArgs args) => RunRegisteredPreHook(hook, ref args), hook.Prepend),
                    HookKind.Forward => _site.Forward.Add(
                        (object _, in TArgs args, ref TResult result) =>
                            RunRegisteredForwardHook(hook, args, ref result), hook.Prepend, hook.AlwaysCall),
                    // Nothing runs a backward hook before the module is mirrored.
                    _ => _site.Pre.Add((object _, ref TArgs _) => throw new InvalidOperationException(
                        $"{GetType().Name} has a backward hook, which runs only if the module is part of a model that Python loaded (B-1): "
                        + "add the module to such a model, or remove the hook.")),
                };
            }

            private void RunRegisteredPreHook(RegisteredHook hook, ref TArgs args)
            {
                if (hook is TypedHook typed)
                {
                    typed.RunPre(this, ref args);
                    return;
                }

                object?[] values = hook.WithKwargs ? [PlainArgs(args), new DictOfValues([])] : [PlainArgs(args)];
                if (Replacement(hook, hook.Invoke(this, values)) is { } changed) args = TypedArgs(changed as object?[] ?? [changed]);
            }

            private void RunRegisteredForwardHook(RegisteredHook hook, TArgs args, ref TResult result)
            {
                if (hook is TypedHook typed)
                {
                    typed.RunForward(this, args, ref result);
                    return;
                }

                var plain = NestResult(Tuples.Unpack(result));
                object?[] values = hook.WithKwargs ? [PlainArgs(args), new DictOfValues([]), plain] : [PlainArgs(args), plain];
                if (Replacement(hook, hook.Invoke(this, values)) is { } changed) result = Tuples<TResult>.Pack(FlattenResult(changed));
            }

            private object?[] PlainArgs(TArgs args) => (TrimArgs(args) ?? BoxArgs(args)).Select(Tuples.Unpack).ToArray();

            private static object? Replacement(RegisteredHook hook, object? returned) =>
                hook.WithKwargs ? ((object?[])returned!)[0] : returned;

            /// <summary>A hook that gets the arguments one by one, or only the module.</summary>
            private sealed class TypedHook(Delegate hook, HookKind kind, bool prepend, bool alwaysCall, Type module)
                : RegisteredHook(kind, prepend, alwaysCall)
            {
                internal override bool IsTyped => true;

                internal override Type ModuleType => module;

                internal override Delegate Target => hook;

                internal override bool ReadsValues { get; } = HookCode.ReadsValues(hook);

                internal void RunPre(CallableModule<TArgs, TResult, TPreHook, TPostHook> module, ref TArgs args)
                {
                    if (module.IsTakenOut(this)) return;
                    if (hook is Action<Module> plain) plain(module);
                    else module.RunPreHook((TPreHook)hook, ref args);
                }

                internal void RunForward(CallableModule<TArgs, TResult, TPreHook, TPostHook> module, TArgs args, ref TResult result)
                {
                    if (module.IsTakenOut(this)) return;
                    if (hook is Action<Module> plain) plain(module);
                    else module.RunPostHook((TPostHook)hook, args, ref result);
                }

                internal override object? Invoke(Module? module, object?[] values)
                {
                    var target = (CallableModule<TArgs, TResult, TPreHook, TPostHook>)module!;
                    return IsForward ? RunForward(target, values[..^1], values[^1]) : RunPre(target, values);
                }

                private object?[]? RunPre(CallableModule<TArgs, TResult, TPreHook, TPostHook> target, object?[] arguments)
                {
                    var args = target.TypedArgs(arguments);
                    var before = target.BoxArgs(args);
                    RunPre(target, ref args);
                    var after = target.BoxArgs(args);
                    if (before.Zip(after).All(pair => Tuples.IsSame(pair.First, pair.Second))) return null;
                    object?[] all = [.. after, .. ForwardParameter.Complete(target, arguments)[after.Length..]];
                    return ForwardParameter.Trim(target, all, arguments.Length).Select(Tuples.Unpack).ToArray();
                }

                private object? RunForward(CallableModule<TArgs, TResult, TPreHook, TPostHook> target, object?[] arguments, object? result)
                {
                    // If forward failed, an always-called hook gets the default of the result's type, such as null.
                    var before = result is null ? default! : Tuples<TResult>.Pack(target.FlattenResult(result));
                    var after = before;
                    RunForward(target, target.TypedArgs(arguments), ref after);
                    return Tuples.IsSame(before, after) ? null : target.NestResult(Tuples.Unpack(after));
                }
            }
        }
    }
}
