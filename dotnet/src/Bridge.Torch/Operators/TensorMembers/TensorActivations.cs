using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

/// <summary>
/// Activation functions that are members of Tensor: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that
/// call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::gelu", "self, approximate")] private partial Tensor Gelu(string approximate);
        [Aten("aten::gelu_", "self, approximate")] private partial Tensor Gelu_(string approximate);

        public Tensor gelu() => Gelu("none");

        /// <exception cref="ArgumentOutOfRangeException"><paramref name="approximate"/> is not a defined value.</exception>
        public Tensor gelu(GELU.Approximate approximate) => Gelu(Form(approximate));

        public Tensor gelu_() => Gelu_("none");

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
