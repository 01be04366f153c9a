#nullable disable annotations // as TorchSharp's: who derives from these is not warned about nulls, which are allowed

using System.Reflection;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class autograd
    {
        /// <summary>
        /// An operation with a backward of its own. Derive from <see cref="SingleTensorFunction{T}"/> or
        /// <see cref="MultiTensorFunction{T}"/>.
        /// </summary>
        /// <remarks>
        /// PyTorch's own <c>torch.autograd.Function</c> runs it, so it needs Python in the process, unless no gradient is wanted. One
        /// object serves all applications and threads: state belongs into the context.
        /// </remarks>
        /// <typeparam name="T">The class itself.</typeparam>
        public abstract class Function<T> : IAutogradFunction where T : Function<T>, new()
        {
            internal static T Instance { get; } = new();

            (object Owner, FieldInfo Field)[] IAutogradFunction.RetainingFields => field ??= ReachableTensors.RetainingFields((object)this);

            /// <summary>
            /// Runs <c>forward</c>, and makes its outputs depend on those arguments that are tensors; tensors within other arguments are
            /// not seen.
            /// </summary>
            /// <param name="vars">What <c>forward</c> takes; null stands for a tensor that is left out.</param>
            public static List<Tensor> apply_internal(params object[] vars) => FunctionCall.Run(Instance, vars);

            List<Tensor> IAutogradFunction.Forward(AutogradContext context, object[] arguments) => forward_internal(context, arguments);

            List<Tensor> IAutogradFunction.Backward(AutogradContext context, List<Tensor> gradients) =>
                backward_internal(context, gradients);

            internal abstract List<Tensor> forward_internal(AutogradContext ctx, object[] vars);

            internal abstract List<Tensor> backward_internal(AutogradContext ctx, List<Tensor> grad_outputs);

            /// <summary>What messages call it, and the graph: <c>grad_fn</c> of its outputs is <c>&lt;NameBackward&gt;</c>.</summary>
            public abstract string Name { get; }
        }

        /// <summary>A function with one output.</summary>
        /// <typeparam name="T">The class itself.</typeparam>
        public abstract class SingleTensorFunction<T> : Function<T> where T : SingleTensorFunction<T>, new()
        {
            /// <summary>Runs <see cref="forward"/> as one operation of the graph. Call this, not <c>forward</c>.</summary>
            public static Tensor apply(params object[] vars) => apply_internal(vars)[0];

            internal sealed override List<Tensor> forward_internal(AutogradContext ctx, object[] vars) => [forward(ctx, vars)];

            internal sealed override List<Tensor> backward_internal(AutogradContext ctx, List<Tensor> grad_outputs) =>
                backward(ctx, grad_outputs[0]);

            /// <summary>Computes the output; autograd records nothing meanwhile.</summary>
            public abstract Tensor forward(AutogradContext ctx, params object[] vars);

            /// <summary>
            /// The gradients of all arguments of <c>forward</c>, in order, from that of the output; null for what is not a tensor or needs
            /// none.
            /// </summary>
            public abstract List<Tensor> backward(AutogradContext ctx, Tensor grad_output);
        }

        /// <summary>A function with any number of outputs.</summary>
        /// <typeparam name="T">The class itself.</typeparam>
        public abstract class MultiTensorFunction<T> : Function<T> where T : MultiTensorFunction<T>, new()
        {
            /// <summary>Runs <see cref="forward"/> as one operation of the graph. Call this, not <c>forward</c>.</summary>
            public static List<Tensor> apply(params object[] vars) => apply_internal(vars);

            internal sealed override List<Tensor> forward_internal(AutogradContext ctx, object[] vars) => forward(ctx, vars);

            internal sealed override List<Tensor> backward_internal(AutogradContext ctx, List<Tensor> grad_outputs) =>
                backward(ctx, grad_outputs);

            /// <summary>Computes the outputs; autograd records nothing meanwhile.</summary>
            public abstract List<Tensor> forward(AutogradContext ctx, params object[] vars);

            /// <summary>
            /// The gradients of all arguments of <c>forward</c>, in order, from those of the outputs; null for what is not a tensor or
            /// needs none.
            /// </summary>
            public abstract List<Tensor> backward(AutogradContext ctx, List<Tensor> grad_outputs);
        }
    }
}
