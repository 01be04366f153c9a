using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class jit
    {
        /// <summary>A module in TorchScript that takes tensors and returns a <typeparamref name="TResult"/>.</summary>
        public class ScriptModule<TResult> : ScriptModule, nn.IModule<Tensor[], TResult>
        {
            internal ScriptModule(ScriptDescription description) : base(description) { }

            /// <summary>Runs pre hooks, <c>forward</c> and forward hooks on tensors.</summary>
            /// <param name="input">The arguments.</param>
            /// <returns>The result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            /// <exception cref="ArgumentNullException">The array is null.</exception>
            public TResult call(params Tensor[] input)
            {
                ArgumentNullException.ThrowIfNull(input);
                return ScriptValues.Result<TResult>(Call([.. input]));
            }

            /// <summary>Runs <c>forward</c> on tensors, without hooks.</summary>
            /// <param name="tensor">The arguments.</param>
            /// <returns>The result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult forward(params Tensor[] tensor) => Forward<TResult>([.. tensor]);
        }

        /// <summary>A module in TorchScript with one argument.</summary>
        public class ScriptModule<T, TResult>
            : HookableScriptModule<Func<ScriptModule<T, TResult>, T, T>, Func<ScriptModule<T, TResult>, T, TResult, TResult>>,
                nn.IModule<T, TResult>
        {
            internal ScriptModule(ScriptDescription description) : base(description) { }

            /// <summary>Runs pre hooks, <c>forward</c> and forward hooks on one argument.</summary>
            /// <param name="input">The argument.</param>
            /// <returns>The result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult call(T input) => ScriptValues.Result<TResult>(Call([input]));

            /// <summary>Runs <c>forward</c> on one argument, without hooks.</summary>
            /// <param name="tensor">The argument.</param>
            /// <returns>The result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult forward(T tensor) => Forward<TResult>([tensor]);

            private protected override object?[]? RunPreHook(nn.Module module, Func<ScriptModule<T, TResult>, T, T> hook, object?[] args) =>
                hook((ScriptModule<T, TResult>)module, To<T>(args[0])) is { } changed ? [changed] : null;

            private protected override object? RunPostHook(
                nn.Module module, Func<ScriptModule<T, TResult>, T, TResult, TResult> hook, object?[] args, object? result) =>
                hook((ScriptModule<T, TResult>)module, To<T>(args[0]), To<TResult>(result));
        }

        /// <summary>A module in TorchScript with two arguments.</summary>
        public class ScriptModule<T1, T2, TResult>
            : HookableScriptModule<Func<ScriptModule<T1, T2, TResult>, T1, T2, (T1, T2)?>,
                Func<ScriptModule<T1, T2, TResult>, T1, T2, TResult, TResult>>, nn.IModule<T1, T2, TResult>
        {
            internal ScriptModule(ScriptDescription description) : base(description) { }

            /// <summary>Runs pre hooks, <c>forward</c> and forward hooks on two arguments.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <returns>The result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult call(T1 input1, T2 input2) => ScriptValues.Result<TResult>(Call([input1, input2]));

            /// <summary>Runs <c>forward</c> on two arguments, without hooks.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <returns>The result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult forward(T1 input1, T2 input2) => Forward<TResult>([input1, input2]);

            private protected override object?[]? RunPreHook(
                nn.Module module, Func<ScriptModule<T1, T2, TResult>, T1, T2, (T1, T2)?> hook, object?[] args) =>
                hook((ScriptModule<T1, T2, TResult>)module, To<T1>(args[0]), To<T2>(args[1])) is var (first, second)
                    ? [first, second] : null;

            private protected override object? RunPostHook(
                nn.Module module, Func<ScriptModule<T1, T2, TResult>, T1, T2, TResult, TResult> hook, object?[] args, object? result) =>
                hook((ScriptModule<T1, T2, TResult>)module, To<T1>(args[0]), To<T2>(args[1]), To<TResult>(result));
        }
    }
}
