using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Linear algebra of matrices and batches of matrices; <c>Linalg.tsv</c> has the functions.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/linalg.html">torch.linalg</see>.</remarks>
    public static partial class linalg
    {
        /// <summary>The parts of a QR decomposition that are computed.</summary>
        public enum QRMode
        {
            /// <summary>R, and a Q with as many columns as the matrix has, but at most as many as it has rows.</summary>
            Reduced = 0,

            /// <summary>R, and a square matrix Q.</summary>
            Complete = 1,

            /// <summary>Only R; Q is empty.</summary>
            R = 2,
        }
    }

    /// <summary>Special functions of mathematics; <c>Special.tsv</c> has them.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/special.html">torch.special</see>.</remarks>
    public static partial class special;

    public static partial class nn
    {
        /// <summary>Functions on parameters and gradients.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.html#utilities">torch.nn.utils</see>.</remarks>
        public static partial class utils
        {
            [Aten("bridge::clip_grad_norm_", "parameters, max_norm, norm_type")]
            private static partial Tensor ClipNorm(Tensor[] parameters, double max_norm, double norm_type);
            [Aten("bridge::clip_grad_value_", "parameters, clip_value")]
            private static partial void ClipValue(Tensor[] parameters, double clip_value);

            /// <summary>Scales the gradients so that their total norm is at most <paramref name="max_norm"/>.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html">clip_grad_norm_</see>.
            /// </remarks>
            /// <param name="tensors">The parameters; those without a gradient are skipped.</param>
            /// <param name="max_norm">The largest total norm.</param>
            /// <param name="norm_type">The order of the norm.</param>
            /// <returns>The total norm before scaling.</returns>
            public static double clip_grad_norm_(IEnumerable<Parameter> tensors, double max_norm, double norm_type = 2)
            {
                using var norm = ClipNorm([.. tensors], max_norm, norm_type);
                return norm.ToDouble();
            }

            /// <summary>Clamps each element of the gradients to [-clip_value, clip_value].</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html">clip_grad_value_</see>.
            /// </remarks>
            /// <param name="tensors">The parameters; those without a gradient are skipped.</param>
            /// <param name="clip_value">The largest absolute value.</param>
            public static void clip_grad_value_(IEnumerable<Parameter> tensors, double clip_value) => ClipValue([.. tensors], clip_value);

            /// <summary>Returns the elements of all parameters as one vector.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html">its page</see>.
            /// </remarks>
            /// <param name="tensors">The parameters.</param>
            public static Tensor parameters_to_vector(IEnumerable<Parameter> tensors)
            {
                using var scope = NewDisposeScope();
                return cat(tensors.Select(tensor => tensor.view(-1)).ToArray()).MoveToOuterDisposeScope();
            }

            /// <summary>
            /// Makes the parameters consecutive parts of a vector, as from <see cref="parameters_to_vector"/>.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.vector_to_parameters.html">its page</see>.
            /// </remarks>
            /// <param name="vec">The vector, with as many elements as the parameters have together.</param>
            /// <param name="tensors">The parameters, whose shapes are kept.</param>
            public static void vector_to_parameters(Tensor vec, IEnumerable<Parameter> tensors)
            {
                using var scope = NewDisposeScope();
                using var off = no_grad();
                var at = 0L;
                foreach (var tensor in tensors)
                {
                    var count = tensor.numel();
                    tensor.SetData(vec.narrow(0, at, count).view(tensor.Sizes).detach());
                    at += count;
                }
            }
        }
    }
}
