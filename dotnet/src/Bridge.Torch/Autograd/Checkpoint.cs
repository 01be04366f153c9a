using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        /// <summary>
        /// Gets or sets what runs a function by PyTorch's checkpoint, without reentrant autograd; null in a process without Python.
        /// </summary>
        internal static Func<Func<Tensor[], Tensor[]>, bool, Tensor[], Tensor[]>? Checkpoint { get; set; }

        /// <summary>
        /// Runs a function without keeping what its backward needs: backward runs the function again. This costs time and saves memory.
        /// </summary>
        /// <remarks>
        /// TorchSharp has no such function; the name is PyTorch's, whose checkpoint runs with <c>use_reentrant=False</c>. Gradients need
        /// Python in the process. PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/checkpoint.html">torch.utils.checkpoint</see>.
        /// </remarks>
        /// <param name="function">The function, such as <c>block.call</c>. It has to do the same when it runs again.</param>
        /// <param name="input">The argument of the function.</param>
        /// <param name="preserve_rng_state">Whether random numbers are the same when the function runs again.</param>
        /// <returns>The result of the function.</returns>
        public static Tensor checkpoint(Func<Tensor, Tensor> function, Tensor input, bool preserve_rng_state = true)
        {
            ArgumentNullException.ThrowIfNull(function);
            return checkpoint(inputs => [function(inputs[0])], [input], preserve_rng_state)[0];
        }

        /// <summary>
        /// Runs a function of several tensors without keeping what its backward needs: backward runs the function again.
        /// </summary>
        /// <param name="function">The function. It has to do the same when it runs again.</param>
        /// <param name="inputs">The arguments of the function.</param>
        /// <param name="preserve_rng_state">Whether random numbers are the same when the function runs again.</param>
        /// <returns>The results of the function.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process, and gradients are recorded.</exception>
        public static Tensor[] checkpoint(Func<Tensor[], Tensor[]> function, Tensor[] inputs, bool preserve_rng_state = true)
        {
            ArgumentNullException.ThrowIfNull(function);
            ArgumentNullException.ThrowIfNull(inputs);
            if (!is_grad_enabled()) return function(inputs);
            return Checkpoint is { } run
                ? run(function, preserve_rng_state, inputs)
                : throw new NotSupportedException(
                    "torch.utils.checkpoint needs Python in the process: PyTorch's checkpoint runs the function again. Without gradients "
                    + "(torch.no_grad()) it can be called.");
        }
    }
}
