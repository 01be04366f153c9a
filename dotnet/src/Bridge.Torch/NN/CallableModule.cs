using System.Runtime.CompilerServices;
using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>How a module is called, whatever its arity: the arities themselves only spread the arguments.</summary>
        /// <typeparam name="TArgs">The arguments: the one argument itself, or a tuple of them.</typeparam>
        /// <typeparam name="TResult">The result.</typeparam>
        /// <typeparam name="TPreHook">The typed pre hook.</typeparam>
        /// <typeparam name="TPostHook">The typed forward hook.</typeparam>
        public abstract partial class CallableModule<TArgs, TResult, TPreHook, TPostHook> : HookableModule<TPreHook, TPostHook>, IHookTarget<TArgs, TResult>
            where TPreHook : Delegate
            where TPostHook : Delegate
        {
            private HookSite<TArgs, TResult>? _site;

            private protected CallableModule(string name) : base(name) { }

            private protected CallableModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>
            /// A call that is entered now runs only <c>forward</c> (C-5), as <see cref="IsPlain"/> says of any module, and needs no scope: Python does not
            /// know the module, no hook was ever on it, and nobody in the process is to be asked.
            /// </summary>
            private protected bool IsUnheard
            {
                [MethodImpl(MethodImplOptions.AggressiveInlining)]
                get => Link is null && _site is null && ListenerCount.IsZero && !(MakesIntermediates && DisposeScope.HasCalls);
            }

            /// <summary>
            /// A call that is entered now runs only <c>forward</c> (C-5): nothing listens in either language, and nothing is recorded.
            /// The parameters are then as Python has them.
            /// </summary>
            private protected bool IsPlain
            {
                [MethodImpl(MethodImplOptions.AggressiveInlining)]
                get
                {
                    var link = Link;
                    if (link is null) return CallRecorder.Active == 0 && Dispatcher.IsBare(_site);
                    if (CallRecorder.Active != 0 || link.Listens) return false;
                    link.PrepareComputed();
                    return true;
                }
            }

            /// <summary>Runs <c>forward</c>.</summary>
            private protected abstract TResult Run(TArgs args);

            /// <summary>The arguments one by one.</summary>
            private protected abstract object?[] Spread(TArgs args);

            /// <summary>Python computes in the module's place, now.</summary>
            private protected bool IsElsewhere => Link is { IsElsewhere: true };

            /// <summary>The same for a module that reads what those below it have.</summary>
            private protected bool IsElsewhereWithin => Link is { IsElsewhereWithin: true };

            /// <summary>What Python's <c>forward</c> gives; <paramref name="beside"/> as in <see cref="Beside"/>.</summary>
            private protected TResult Elsewhere(TArgs args, params object?[] beside) =>
                Tuples<TResult>.Pack(Flat(Link!.Forward(ForwardParameter.Trim(this, [.. Spread(args), .. beside]).Select(Tuples.Unpack).ToArray())));

            /// <summary>Arguments from what a hook or Python gave.</summary>
            private protected abstract TArgs Gather(object?[] args);

            /// <summary>
            /// What the call that begins hands over beside <typeparamref name="TArgs"/>: TorchSharp's types of a layer may lack arguments that
            /// PyTorch's has. They are the last of <see cref="Module.Parameters"/>.
            /// </summary>
            private protected virtual object?[] Beside => [];

            /// <summary>What the next <see cref="Run"/> has beside its arguments.</summary>
            private protected virtual void Take(object?[] beside) { }

            /// <summary>The result as PyTorch nests it, where TorchSharp's type does not.</summary>
            private protected virtual object? Nested(object? result) => result;

            /// <summary>The result as TorchSharp's type has it, of what Python or a hook gave.</summary>
            private protected virtual object? Flat(object? result) => result;

            /// <summary>The result as a global hook sees it.</summary>
            private protected virtual object? Shown(TResult result) => result;

            private protected abstract void RunPreHook(TPreHook hook, ref TArgs args);

            private protected abstract void RunPostHook(TPostHook hook, TArgs args, ref TResult result);

            /// <summary>The call has to free what it makes besides its result: it is below a call from Python.</summary>
            private protected bool NeedsScope
            {
                [MethodImpl(MethodImplOptions.AggressiveInlining)]
                get => MakesIntermediates && DisposeScope.InCall;
            }

            /// <summary>
            /// Runs <c>forward</c> in a scope. .NET has no reference counts: without it all that a net makes would live until the entire net has
            /// run, which costs more memory than in PyTorch, and more time to get it.
            /// </summary>
            private protected TResult RunInScope(TArgs args)
            {
                var scope = new DisposeScope(ofCall: true, callee: this);
                try
                {
                    var result = Run(args);
                    Survivors.Return(result, scope);
                    return result;
                }
                finally
                {
                    EndScope(scope, args);
                }
            }

            /// <summary>Ends the scope in which <c>forward</c> ran: what fields and arguments hold survives it.</summary>
            private protected void EndScope(DisposeScope scope, TArgs args)
            {
                if (scope.DisposablesCount > 0)
                {
                    Survivors.Keep(Keepers);
                    if (args is not Tensor) Survivors.Keep(args);
                }

                scope.EndCall();
            }

            /// <summary>Any call that needs more than <c>forward</c>. Not a part of <c>call</c>, whose frame would hold what only this needs.</summary>
            [MethodImpl(MethodImplOptions.NoInlining)]
            private protected TResult CallWithListeners(TArgs args) => CallWithListeners(args, out _);

            /// <summary>The same, and whether what listens has seen neither the arguments nor the result.</summary>
            private protected TResult CallWithListeners(TArgs args, out bool unseen)
            {
                unseen = false;
                if (Link is { } link)
                {
                    if (link.Listens)
                    {
                        if (CallsHere && link.Plan() is { } plan) return CallHere(args, link, plan, out unseen);
                        return Tuples<TResult>.Pack(Flat(args is Tensor tensor && Beside.Length == 0 ? link.Call(tensor) : link.Call(ForwardParameter.Trim(this, [.. Spread(args), .. Beside]).Select(Tuples.Unpack).ToArray())));
                    }

                    link.Prepare();
                }
                else if (!Dispatcher.IsBare(_site))
                {
                    return Dispatcher.CallHooked(this, args, RecordedPlace.Current?.Observe<TArgs, TResult>(this, Recorded));
                }

                if (RecordedPlace.Current is not { } place) return NeedsScope ? RunInScope(args) : Run(args);
                var flows = StartsTasks;
                var inside = place.Enter(this, Recorded(args), flows);
                try
                {
                    var result = NeedsScope ? RunInScope(args) : Run(args);
                    inside?.Leave(result);
                    return result;
                }
                finally
                {
                    RecordedPlace.Return(place, flows);
                }
            }

            private object? Recorded(TArgs args) => Trimmed(args) is { } given ? new ListOfValues(given) : args;

            /// <summary>The arguments as Python would get them, without trailing defaults; null when none has to be left out.</summary>
            private object?[]? Trimmed(TArgs args)
            {
                var beside = Beside;
                if ((args is Tensor && beside.Length == 0) || !Parameters[^1].HasDefault) return null;
                object?[] all = [.. Spread(args), .. beside];
                var given = ForwardParameter.Trim(this, all);
                return given == all && beside.Length == 0 ? null : given;
            }

            // What a hook of C# sees: without what is beside its types.
            private TArgs Own(object?[] arguments) => Gathered(ForwardParameter.Complete(this, arguments)[..^Beside.Length]);

            private TArgs Gathered(object?[] arguments)
            {
                try
                {
                    return Gather(arguments);
                }
                catch (InvalidCastException exception)
                {
                    throw ForwardParameter.Misfit(exception, this, arguments, arguments.Length == 1 ? [typeof(TArgs)] : typeof(TArgs).GetGenericArguments());
                }
            }

            internal override IReadOnlyList<ForwardParameter> Parameters => ForwardParameter.Of(GetType());

            internal override object? Invoke(object?[] arguments)
            {
                // The most common call needs nothing that the type says of its parameters.
                if (arguments is [Tensor and TArgs one] && Beside.Length == 0) return Nested(Tuples.Unpack(Run(one)));
                var all = ForwardParameter.Complete(this, arguments);
                if (Beside.Length is > 0 and var count)
                {
                    Take(all[^count..]);
                    all = all[..^count];
                }

                return Nested(Tuples.Unpack(Run(Gathered(all))));
            }

            HookSite<TArgs, TResult>? IHookTarget<TArgs, TResult>.Site => _site;

            TResult IHookTarget<TArgs, TResult>.Forward(TArgs args) => Run(args);

            object?[] IHookTarget<TArgs, TResult>.Box(TArgs args) => Spread(args);

            TArgs IHookTarget<TArgs, TResult>.Unbox(object?[] args) => Own(args);

            object? IHookTarget<TArgs, TResult>.BoxResult(TResult result) => Shown(result);

            TResult IHookTarget<TArgs, TResult>.UnboxResult(object? result) => Tuples<TResult>.Pack(result is TResult ? result : Flat(Tuples.Unpack(result)));

            private protected override Hook ForwardHook(Delegate hook, bool prepend, bool alwaysCall) => new Typed(hook, HookKind.Forward, prepend, alwaysCall, GetType());

            private protected override Hook PreHook(Delegate hook, bool prepend) => new Typed(hook, HookKind.Pre, prepend, false, GetType());

            private protected override IDisposable PlaceHere(Hook hook)
            {
                Interlocked.CompareExchange(ref _site, new HookSite<TArgs, TResult>(), null);
                return hook.Kind switch
                {
                    HookKind.Pre => _site.Pre.Add((object _, ref TArgs args) => RunPre(hook, ref args), hook.Prepend),
                    HookKind.Forward => _site.Forward.Add((object _, in TArgs args, ref TResult result) => RunForward(hook, args, ref result), hook.Prepend, hook.AlwaysCall),
                    // Until the module is mirrored nothing would run it.
                    _ => _site.Pre.Add((object _, ref TArgs _) => throw new InvalidOperationException(
                        $"{GetType().Name} has a backward hook, but is not part of a model that was loaded in Python, where its hook would run (B-1): add it to such a model, or remove the hook.")),
                };
            }

            private void RunPre(Hook hook, ref TArgs args)
            {
                if (hook is Typed typed) typed.Pre(this, ref args);
                else if (Changed(hook, hook.Invoke(this, hook.WithKwargs ? [Plain(args), new DictOfValues([])] : [Plain(args)])) is { } changed)
                    args = Own(changed as object?[] ?? [changed]);
            }

            private void RunForward(Hook hook, TArgs args, ref TResult result)
            {
                if (hook is Typed typed) typed.Forward(this, args, ref result);
                else if (Changed(hook, hook.Invoke(this, hook.WithKwargs ? [Plain(args), new DictOfValues([]), Result(result)] : [Plain(args), Result(result)])) is { } changed)
                    result = Tuples<TResult>.Pack(Flat(changed));
            }

            private object?[] Plain(TArgs args) => (Trimmed(args) ?? Spread(args)).Select(Tuples.Unpack).ToArray();

            private object? Result(TResult result) => Nested(Tuples.Unpack(result));

            private static object? Changed(Hook hook, object? given) => hook.WithKwargs ? ((object?[])given!)[0] : given;

            private sealed class Typed(Delegate hook, HookKind kind, bool prepend, bool alwaysCall, Type module) : Hook(kind, prepend, alwaysCall)
            {
                internal override bool IsTyped => true;

                internal override Type ModuleType => module;

                internal override Delegate Target => hook;

                internal override bool ReadsValues { get; } = HookCode.ReadsValues(hook);

                internal void Pre(CallableModule<TArgs, TResult, TPreHook, TPostHook> module, ref TArgs args)
                {
                    if (hook is Action<Module> plain) plain(module);
                    else module.RunPreHook((TPreHook)hook, ref args);
                }

                internal void Forward(CallableModule<TArgs, TResult, TPreHook, TPostHook> module, TArgs args, ref TResult result)
                {
                    if (hook is Action<Module> plain) plain(module);
                    else module.RunPostHook((TPostHook)hook, args, ref result);
                }

                internal override object? Invoke(Module? module, object?[] values)
                {
                    var target = (CallableModule<TArgs, TResult, TPreHook, TPostHook>)module!;
                    return IsForward ? Forward(target, values[..^1], values[^1]) : Pre(target, values);
                }

                private object?[]? Pre(CallableModule<TArgs, TResult, TPreHook, TPostHook> target, object?[] arguments)
                {
                    var args = target.Own(arguments);
                    var before = target.Spread(args);
                    Pre(target, ref args);
                    var after = target.Spread(args);
                    return before.Zip(after).All(pair => Tuples.IsSame(pair.First, pair.Second))
                        ? null : ForwardParameter.Trim(target, [.. after, .. ForwardParameter.Complete(target, arguments)[after.Length..]], arguments.Length).Select(Tuples.Unpack).ToArray();
                }

                private object? Forward(CallableModule<TArgs, TResult, TPreHook, TPostHook> target, object?[] arguments, object? result)
                {
                    // Where forward did not finish there is none; a tuple then is the default one.
                    var before = result is null ? default! : Tuples<TResult>.Pack(target.Flat(result));
                    var after = before;
                    Forward(target, target.Own(arguments), ref after);
                    return ReferenceEquals(before, after) ? null : target.Nested(Tuples.Unpack(after));
                }
            }
        }
    }
}
