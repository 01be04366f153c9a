using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>
        /// Registers a hook on the gradient of this tensor: <c>hook(grad)</c> in each backward pass, before the gradient goes on or is
        /// accumulated. A result that is not null replaces the gradient (T-2). The hook belongs to the tensor and its graph, in
        /// Python too.
        /// </summary>
        /// <param name="hook">The hook. A hook that captures the tensor keeps the tensor and its graph alive until it is removed.</param>
        /// <returns>An object whose disposal removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="Exception">A RuntimeError of Python's: the tensor does not require a gradient (T-1).</exception>
        public HookRemover register_hook(Func<Tensor, Tensor?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            return AddHook(PythonHooks.Require(nameof(register_hook)), UntypedHook.OnTensor(hook));
        }

        /// <summary>
        /// Registers a hook on this leaf: <c>hook(tensor)</c> in each backward pass, after <c>grad</c> has accumulated the gradient.
        /// </summary>
        /// <param name="hook">The hook.</param>
        /// <returns>An object whose disposal removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="Exception">A RuntimeError of Python's: the tensor is not a leaf, or does not require grad .</exception>
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
