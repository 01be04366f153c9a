using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>
        /// Registers a hook on the gradient of this tensor. Each backward pass that computes the gradient calls <c>hook(grad)</c> before it
        /// accumulates the gradient or passes it on. A result that is not null replaces the gradient (clause T-2 of docs/contract.md).
        /// </summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html">torch.Tensor.register_hook</see>.
        /// </remarks>
        /// <param name="hook">
        /// The hook. A hook that captures the tensor keeps the tensor and its graph alive until the hook is removed.
        /// </param>
        /// <returns>An object whose disposal removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="Exception">Python's RuntimeError: the tensor does not require grad (T-1).</exception>
        /// <exception cref="ArgumentNullException"><paramref name="hook"/> is null.</exception>
        public HookRemover register_hook(Func<Tensor, Tensor?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            return AddHook(PythonHooks.Require(nameof(register_hook)), UntypedHook.OnTensor(hook));
        }

        /// <summary>
        /// Registers a hook on this leaf tensor. Each backward pass that accumulates a gradient in <c>grad</c> then calls
        /// <c>hook(tensor)</c> (clause Q-2 of docs/contract.md).
        /// </summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_post_accumulate_grad_hook.html">
        /// torch.Tensor.register_post_accumulate_grad_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook.</param>
        /// <returns>An object whose disposal removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="Exception">Python's RuntimeError: the tensor is not a leaf, or does not require grad .</exception>
        /// <exception cref="ArgumentNullException"><paramref name="hook"/> is null.</exception>
        public HookRemover register_post_accumulate_grad_hook(Action<Tensor> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            return AddHook(PythonHooks.Require(nameof(register_post_accumulate_grad_hook)), UntypedHook.PostAccumulate(hook));
        }

        private HookRemover AddHook(PythonHooks python, RegisteredHook hook)
        {
            hook.Registration = python.Register(this, hook);
            return new(hook);
        }
    }
}
