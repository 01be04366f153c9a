using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public interface IModule<T, TResult>
        {
            TResult call(T input1);
        }

        /// <summary>A module with one argument.</summary>
        public abstract class Module<T, TResult>
            : HookableModule<Func<Module<T, TResult>, T, T>, Func<Module<T, TResult>, T, TResult, TResult>>, IModule<T, TResult>, IHookTarget<T, TResult>
        {
            private HookSite<T, TResult>? _site;

            protected Module(string name) : base(name) { }

            /// <summary>What the module computes. Fires no hook of this module (C-3): run children by <see cref="call"/>.</summary>
            public abstract TResult forward(T input);

            /// <summary>Runs the module as PyTorch's <c>__call__</c> does: pre hooks, <see cref="forward"/>, forward hooks (C-6).</summary>
            /// <remarks>Allocates nothing without hooks, and whether it is hooked is decided at its entry (C-5).</remarks>
            public TResult call(T input)
            {
                Dispatcher.CheckStack(this);
                try
                {
                    if (Link is { } link)
                    {
                        if (link.Listens) return Tuples<TResult>.Pack(link.Call([Tuples.Unpack(input)]));
                        link.Prepare();
                    }
                    else if (!Dispatcher.IsBare(_site))
                    {
                        return Dispatcher.CallHooked(this, input, CallRecorder.Observe<T, TResult>(this));
                    }

                    return CallRecorder.Active == 0 ? forward(input) : Recorded(input);
                }
                catch (Exception exception) when (Blame(exception, this))
                {
                    throw; // never reached: the filter only takes a note
                }
            }

            internal override string[] ParameterNames => ForwardParameters.Of(GetType(), typeof(T));

            internal override object? Invoke(ReadOnlySpan<object?> arguments)
            {
                if (arguments.Length != 1) throw ForwardParameters.Wrong(this, arguments.Length);
                if (CallRecorder.Current is { } recorder) recorder.Entering = this;
                return Tuples.Unpack(forward(Tuples<T>.Pack(arguments[0])));
            }

            private TResult Recorded(T input)
            {
                if (CallRecorder.Current is not { } recorder) return forward(input);
                var call = recorder.Enter(this, input);
                try
                {
                    var result = forward(input);
                    recorder.Leave(call, result);
                    return result;
                }
                finally
                {
                    recorder.Close(call);
                }
            }

            HookSite<T, TResult>? IHookTarget<T, TResult>.Site => _site;

            TResult IHookTarget<T, TResult>.Forward(T args) => forward(args);

            object?[] IHookTarget<T, TResult>.Box(T args) => [args];

            T IHookTarget<T, TResult>.Unbox(object?[] args) => Tuples<T>.Pack(args.Single());

            object? IHookTarget<T, TResult>.BoxResult(TResult result) => result;

            TResult IHookTarget<T, TResult>.UnboxResult(object? result) => Tuples<TResult>.Pack(result);

            private protected override Hook ForwardHook(Delegate hook, bool prepend, bool alwaysCall) => new Typed(hook, true, prepend, alwaysCall);

            private protected override Hook PreHook(Delegate hook, bool prepend) => new Typed(hook, false, prepend, false);

            private protected override IDisposable Place(Hook hook)
            {
                var typed = (Typed)hook;
                Interlocked.CompareExchange(ref _site, new HookSite<T, TResult>(), null);
                var site = _site;
                return hook.IsForward
                    ? site.Forward.Add((object module, in T args, ref TResult result) => typed.Forward((Module<T, TResult>)module, args, ref result), hook.Prepend, hook.AlwaysCall)
                    : site.Pre.Add((object module, ref T args) => typed.Pre((Module<T, TResult>)module, ref args), hook.Prepend);
            }

            private sealed class Typed(Delegate hook, bool isForward, bool prepend, bool alwaysCall) : Hook(isForward, prepend, alwaysCall)
            {
                internal void Pre(Module<T, TResult> module, ref T input)
                {
                    if (hook is Action<Module> plain) plain(module);
                    else if (((Func<Module<T, TResult>, T, T>)hook)(module, input) is { } changed) input = changed;
                }

                internal void Forward(Module<T, TResult> module, T input, ref TResult result)
                {
                    if (hook is Action<Module> plain) plain(module);
                    else if (((Func<Module<T, TResult>, T, TResult, TResult>)hook)(module, input, result) is { } changed) result = changed;
                }

                internal override object?[]? InvokePre(Module module, object?[] arguments)
                {
                    var before = Tuples<T>.Pack(arguments.Single());
                    var after = before;
                    Pre((Module<T, TResult>)module, ref after);
                    return ReferenceEquals(before, after) ? null : [Tuples.Unpack(after)];
                }

                internal override object? InvokeForward(Module module, object?[] arguments, object? result)
                {
                    var before = Tuples<TResult>.Pack(result);
                    var after = before;
                    Forward((Module<T, TResult>)module, Tuples<T>.Pack(arguments.Single()), ref after);
                    return ReferenceEquals(before, after) ? null : Tuples.Unpack(after);
                }
            }
        }
    }
}
