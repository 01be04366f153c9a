using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

// Activation functions that are members of Tensor and choose an approximation.
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::gelu", "self, approximate")] private partial Tensor Gelu(string approximate);
        [Aten("aten::gelu_", "self, approximate")] private partial Tensor Gelu_(string approximate);

        /// <summary>Multiplies each element of this tensor by the normal distribution function of the element.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html">torch.nn.functional.gelu</see>.
        /// </remarks>
        public Tensor gelu() => Gelu("none");

        /// <summary>Multiplies each element of this tensor by the normal distribution function of the element.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html">torch.nn.functional.gelu</see>.
        /// </remarks>
        /// <param name="approximate">Whether to compute the exact function or its approximation by a hyperbolic tangent.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="approximate"/> is not a defined value.</exception>
        public Tensor gelu(GELU.Approximate approximate) => Gelu(Form(approximate));

        /// <summary>Multiplies each element of this tensor by the normal distribution function of the element, in place.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html">torch.nn.functional.gelu</see>.
        /// </remarks>
        /// <returns>This tensor.</returns>
        public Tensor gelu_() => Gelu_("none");

        /// <summary>Multiplies each element of this tensor by the normal distribution function of the element, in place.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html">torch.nn.functional.gelu</see>.
        /// </remarks>
        /// <param name="approximate">Whether to compute the exact function or its approximation by a hyperbolic tangent.</param>
        /// <returns>This tensor.</returns>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="approximate"/> is not a defined value.</exception>
        public Tensor gelu_(GELU.Approximate approximate) => Gelu_(Form(approximate));

        private static string Form(GELU.Approximate approximate) => approximate switch
        {
            GELU.Approximate.none => "none",
            GELU.Approximate.tanh => "tanh",
            _ => throw new ArgumentOutOfRangeException(nameof(approximate), approximate, "Unsupported GELU approximation method."),
        };
    }
}
