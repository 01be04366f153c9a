using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>
        /// Registers a hook on the gradient of this tensor: <c>hook(grad)</c> in each backward pass, before the gradient goes on or is
        /// accumulated; what it returns takes the gradient's place unless it is null (T-2). It belongs to the tensor and its graph, in
        /// Python too.
        /// </summary>
        /// <param name="hook">The hook. One that captures the tensor itself keeps it, and its graph, until it is removed.</param>
        /// <returns>Removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="Exception">A RuntimeError of Python's: the tensor does not require a gradient (T-1).</exception>
        public HookRemover register_hook(Func<Tensor, Tensor?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            return AddHook(PythonHooks.Require(nameof(register_hook)), UntypedHook.OnTensor(hook));
        }

        /// <summary>
        /// Registers a hook on this leaf: <c>hook(tensor)</c> in each backward pass, when its gradient was added to <c>grad</c> (Q-2).
        /// </summary>
        /// <param name="hook">The hook.</param>
        /// <returns>Removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="Exception">A RuntimeError of Python's: the tensor is no leaf, or requires no gradient .</exception>
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
