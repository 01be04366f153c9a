using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Linear algebra: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call those.</summary>
    public static partial class linalg
    {
        [Aten("aten::linalg_lstsq", "self=input, b=other, rcond")]
        private static partial (Tensor, Tensor, Tensor, Tensor) Lstsq(Tensor input, Tensor other, double? rcond);

        /// <summary>Solves <c>input @ X = other</c> in the least squares sense.</summary>
        public static (Tensor Solution, Tensor Residuals, Tensor Rank, Tensor SingularValues) lstsq(Tensor input, Tensor other) =>
            Lstsq(input, other, null);

        public static (Tensor Solution, Tensor Residuals, Tensor Rank, Tensor SingularValues) lstsq(Tensor input, Tensor other,
            double rcond) =>
            Lstsq(input, other, rcond);

        /// <summary>Returns the 2-norm of all elements, or along dimensions.</summary>
        public static Tensor norm(Tensor input, long[]? dims = null, bool keepdim = false) => NormOf(input, null, dims, keepdim);
    }

    /// <summary>Special functions: methods that each call one operator (<see cref="AtenAttribute"/>).</summary>
    public static partial class special
    {
        [Aten("aten::special_i0", "self=input")] public static partial Tensor i0(Tensor input);
    }

    public static partial class nn
    {
        /// <summary>
        /// Functions on parameters and gradients: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call
        /// those.
        /// </summary>
        public static partial class utils
        {
            [Aten("bridge::clip_grad_norm_", "parameters, max_norm, norm_type")]
            private static partial Tensor ClipNorm(Tensor[] parameters, double max_norm, double norm_type);
            [Aten("bridge::clip_grad_value_", "parameters, clip_value")]
            private static partial void ClipValue(Tensor[] parameters, double clip_value);

            /// <summary>Scales the gradients so that their total norm is at most <paramref name="max_norm"/>.</summary>
            /// <returns>The total norm before scaling.</returns>
            public static double clip_grad_norm_(IEnumerable<Parameter> tensors, double max_norm, double norm_type = 2)
            {
                using var norm = ClipNorm([.. tensors], max_norm, norm_type);
                return norm.ToDouble();
            }

            /// <summary>Clamps each element of the gradients to [-clip_value, clip_value].</summary>
            public static void clip_grad_value_(IEnumerable<Parameter> tensors, double clip_value) => ClipValue([.. tensors], clip_value);

            /// <summary>Returns the elements of all parameters as one vector.</summary>
            public static Tensor parameters_to_vector(IEnumerable<Parameter> tensors)
            {
                using var scope = NewDisposeScope();
                return cat(tensors.Select(tensor => tensor.view(-1)).ToArray()).MoveToOuterDisposeScope();
            }

            /// <summary>
            /// Makes the parameters consecutive parts of a vector, as from <see cref="parameters_to_vector"/>.
            /// </summary>
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
