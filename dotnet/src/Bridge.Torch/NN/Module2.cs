using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public interface IModule<T1, T2, TResult>
        {
            TResult call(T1 input1, T2 input2);
        }

        /// <summary>A module with two arguments.</summary>
        public abstract class Module<T1, T2, TResult>
            : HookableModule<Func<Module<T1, T2, TResult>, T1, T2, (T1, T2)?>, Func<Module<T1, T2, TResult>, T1, T2, TResult, TResult>>, IModule<T1, T2, TResult>, IHookTarget<(T1, T2), TResult>
        {
            private HookSite<(T1, T2), TResult>? _site;

            protected Module(string name) : base(name) { }

            /// <summary>What the module computes. Fires no hook of this module (C-3): run children by <see cref="call"/>.</summary>
            public abstract TResult forward(T1 input1, T2 input2);

            /// <summary>Runs the module as PyTorch's <c>__call__</c> does: pre hooks, <see cref="forward"/>, forward hooks (C-6).</summary>
            /// <remarks>Allocates nothing without hooks, and whether it is hooked is decided at its entry (C-5).</remarks>
            public TResult call(T1 input1, T2 input2)
            {
                Dispatcher.CheckStack(this);
                try
                {
                    if (Link is { } link)
                    {
                        if (link.Listens) return Tuples<TResult>.Pack(link.Call([Tuples.Unpack(input1), Tuples.Unpack(input2)]));
                        link.Prepare();
                    }
                    else if (!Dispatcher.IsBare(_site))
                    {
                        return Dispatcher.CallHooked(this, (input1, input2), CallRecorder.Observe<(T1, T2), TResult>(this));
                    }

                    return CallRecorder.Active == 0 ? forward(input1, input2) : Recorded(input1, input2);
                }
                catch (Exception exception) when (Blame(exception, this))
                {
                    throw; // never reached: the filter only takes a note
                }
            }

            internal override string[] ParameterNames => ForwardParameters.Of(GetType(), typeof(T1), typeof(T2));

            internal override object? Invoke(ReadOnlySpan<object?> arguments)
            {
                if (arguments.Length != 2) throw ForwardParameters.Wrong(this, arguments.Length);
                if (CallRecorder.Current is { } recorder) recorder.Entering = this;
                return Tuples.Unpack(forward(Tuples<T1>.Pack(arguments[0]), Tuples<T2>.Pack(arguments[1])));
            }

            private TResult Recorded(T1 input1, T2 input2)
            {
                if (CallRecorder.Current is not { } recorder) return forward(input1, input2);
                var call = recorder.Enter(this, (input1, input2));
                try
                {
                    var result = forward(input1, input2);
                    recorder.Leave(call, result);
                    return result;
                }
                finally
                {
                    recorder.Close(call);
                }
            }

            HookSite<(T1, T2), TResult>? IHookTarget<(T1, T2), TResult>.Site => _site;

            TResult IHookTarget<(T1, T2), TResult>.Forward((T1, T2) args) => forward(args.Item1, args.Item2);

            object?[] IHookTarget<(T1, T2), TResult>.Box((T1, T2) args) => [args.Item1, args.Item2];

            (T1, T2) IHookTarget<(T1, T2), TResult>.Unbox(object?[] args) => Tuples<(T1, T2)>.Pack(args);

            object? IHookTarget<(T1, T2), TResult>.BoxResult(TResult result) => result;

            TResult IHookTarget<(T1, T2), TResult>.UnboxResult(object? result) => Tuples<TResult>.Pack(result);

            private protected override Hook ForwardHook(Delegate hook, bool prepend, bool alwaysCall) => new Typed(hook, true, prepend, alwaysCall);

            private protected override Hook PreHook(Delegate hook, bool prepend) => new Typed(hook, false, prepend, false);

            private protected override IDisposable Place(Hook hook)
            {
                var typed = (Typed)hook;
                Interlocked.CompareExchange(ref _site, new HookSite<(T1, T2), TResult>(), null);
                var site = _site;
                return hook.IsForward
                    ? site.Forward.Add((object module, in (T1, T2) args, ref TResult result) => typed.Forward((Module<T1, T2, TResult>)module, args, ref result), hook.Prepend, hook.AlwaysCall)
                    : site.Pre.Add((object module, ref (T1, T2) args) => typed.Pre((Module<T1, T2, TResult>)module, ref args), hook.Prepend);
            }

            private sealed class Typed(Delegate hook, bool isForward, bool prepend, bool alwaysCall) : Hook(isForward, prepend, alwaysCall)
            {
                internal void Pre(Module<T1, T2, TResult> module, ref (T1, T2) input)
                {
                    if (hook is Action<Module> plain) plain(module);
                    else if (((Func<Module<T1, T2, TResult>, T1, T2, (T1, T2)?>)hook)(module, input.Item1, input.Item2) is { } changed) input = changed;
                }

                internal void Forward(Module<T1, T2, TResult> module, (T1, T2) input, ref TResult result)
                {
                    if (hook is Action<Module> plain) plain(module);
                    else if (((Func<Module<T1, T2, TResult>, T1, T2, TResult, TResult>)hook)(module, input.Item1, input.Item2, result) is { } changed) result = changed;
                }

                internal override object?[]? InvokePre(Module module, object?[] arguments)
                {
                    var before = Tuples<(T1, T2)>.Pack(arguments);
                    var after = before;
                    Pre((Module<T1, T2, TResult>)module, ref after);
                    return ReferenceEquals(before.Item1, after.Item1) && ReferenceEquals(before.Item2, after.Item2)
                        ? null : [Tuples.Unpack(after.Item1), Tuples.Unpack(after.Item2)];
                }

                internal override object? InvokeForward(Module module, object?[] arguments, object? result)
                {
                    var before = Tuples<TResult>.Pack(result);
                    var after = before;
                    Forward((Module<T1, T2, TResult>)module, Tuples<(T1, T2)>.Pack(arguments), ref after);
                    return ReferenceEquals(before, after) ? null : Tuples.Unpack(after);
                }
            }
        }
    }
}
