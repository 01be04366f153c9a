#nullable disable annotations // As in TorchSharp: overrides may return null without a compiler warning.

using System.Reflection;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class autograd
    {
        /// <summary>
        /// An operation with its own backward. Derive from <see cref="SingleTensorFunction{T}"/> or
        /// <see cref="MultiTensorFunction{T}"/>.
        /// </summary>
        /// <remarks>
        /// PyTorch's <c>torch.autograd.Function</c> runs the operation, so gradients need Python in the process. One object of the derived
        /// class serves every call of <c>apply</c>, on all threads, so keep state in the context. PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.Function">torch.autograd.Function</see>.
        /// </remarks>
        /// <typeparam name="T">The derived class.</typeparam>
        public abstract class Function<T> : IAutogradFunction where T : Function<T>, new()
        {
            internal static T Instance { get; } = new();

            (object Owner, FieldInfo Field)[] IAutogradFunction.RetainingFields => field ??= ReachableTensors.RetainingFields((object)this);

            /// <summary>
            /// Runs <c>forward</c> as one operation of the graph. Its inputs are the arguments that are tensors, not tensors within other
            /// arguments.
            /// </summary>
            /// <param name="vars">The arguments of <c>forward</c>; null for an omitted tensor.</param>
            /// <returns>The outputs of <c>forward</c>.</returns>
            public static List<Tensor> apply_internal(params object[] vars) => FunctionCall.Run(Instance, vars);

            List<Tensor> IAutogradFunction.Forward(AutogradContext context, object[] arguments) => forward_internal(context, arguments);

            List<Tensor> IAutogradFunction.Backward(AutogradContext context, List<Tensor> gradients) =>
                backward_internal(context, gradients);

            internal abstract List<Tensor> forward_internal(AutogradContext ctx, object[] vars);

            internal abstract List<Tensor> backward_internal(AutogradContext ctx, List<Tensor> grad_outputs);

            /// <summary>
            /// Gets the name in messages and in the graph, where the outputs' <c>grad_fn</c> is <c>&lt;NameBackward&gt;</c>. If the name is
            /// empty, the class's name is used.
            /// </summary>
            public abstract string Name { get; }
        }

        /// <summary>A function with one output.</summary>
        /// <typeparam name="T">The derived class.</typeparam>
        public abstract class SingleTensorFunction<T> : Function<T> where T : SingleTensorFunction<T>, new()
        {
            /// <summary>Runs <see cref="forward"/> as one operation of the graph. Call this, not <c>forward</c>.</summary>
            /// <param name="vars">The arguments of <c>forward</c>; null for an omitted tensor.</param>
            /// <returns>The output of <c>forward</c>.</returns>
            public static Tensor apply(params object[] vars) => apply_internal(vars)[0];

            internal sealed override List<Tensor> forward_internal(AutogradContext ctx, object[] vars) => [forward(ctx, vars)];

            internal sealed override List<Tensor> backward_internal(AutogradContext ctx, List<Tensor> grad_outputs) =>
                backward(ctx, grad_outputs[0]);

            /// <summary>Computes the output, in no-grad mode.</summary>
            /// <param name="ctx">Keeps data for <see cref="backward"/>.</param>
            /// <param name="vars">The arguments of <see cref="apply"/>.</param>
            /// <returns>The output.</returns>
            public abstract Tensor forward(AutogradContext ctx, params object[] vars);

            /// <summary>
            /// Returns a gradient for each argument of <see cref="forward"/>, in order; null for an argument that is no tensor or needs no
            /// gradient.
            /// </summary>
            /// <param name="ctx">The context that <see cref="forward"/> got.</param>
            /// <param name="grad_output">The gradient of the output.</param>
            public abstract List<Tensor> backward(AutogradContext ctx, Tensor grad_output);
        }

        /// <summary>A function with any number of outputs.</summary>
        /// <typeparam name="T">The derived class.</typeparam>
        public abstract class MultiTensorFunction<T> : Function<T> where T : MultiTensorFunction<T>, new()
        {
            /// <summary>Runs <see cref="forward"/> as one operation of the graph. Call this, not <c>forward</c>.</summary>
            /// <param name="vars">The arguments of <c>forward</c>; null for an omitted tensor.</param>
            /// <returns>The outputs of <c>forward</c>.</returns>
            public static List<Tensor> apply(params object[] vars) => apply_internal(vars);

            internal sealed override List<Tensor> forward_internal(AutogradContext ctx, object[] vars) => forward(ctx, vars);

            internal sealed override List<Tensor> backward_internal(AutogradContext ctx, List<Tensor> grad_outputs) =>
                backward(ctx, grad_outputs);

            /// <summary>Computes the outputs, in no-grad mode.</summary>
            /// <param name="ctx">Keeps data for <see cref="backward"/>.</param>
            /// <param name="vars">The arguments of <see cref="apply"/>.</param>
            /// <returns>The outputs, in order.</returns>
            public abstract List<Tensor> forward(AutogradContext ctx, params object[] vars);

            /// <summary>
            /// Returns a gradient for each argument of <see cref="forward"/>, in order; null for an argument that is no tensor or needs no
            /// gradient.
            /// </summary>
            /// <param name="ctx">The context that <see cref="forward"/> got.</param>
            /// <param name="grad_outputs">The gradients of the outputs, in order.</param>
            public abstract List<Tensor> backward(AutogradContext ctx, List<Tensor> grad_outputs);
        }
    }
}
