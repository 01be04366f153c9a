using Bridge.Torch.Native;

namespace TorchSharp.Modules
{
    /// <summary>A tensor that a module registers as its parameter.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html">torch.nn.parameter.Parameter</see>.
    /// </remarks>
    public class Parameter : torch.Tensor
    {
        /// <summary>Creates a parameter that takes over the handle and dispose scope of a tensor, which is invalid afterwards.</summary>
        /// <param name="data">The tensor.</param>
        /// <param name="requires_grad">
        /// Whether the parameter requires a gradient; if false, it keeps the setting of <paramref name="data"/>.
        /// </param>
        public Parameter(torch.Tensor data, bool requires_grad = true) : base(data)
        {
            if (requires_grad) this.requires_grad = true;
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates a parameter from a tensor, which is invalid afterwards.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html">
            /// torch.nn.parameter.Parameter</see>.
            /// </remarks>
            /// <param name="data">The tensor, whose handle and dispose scope the parameter takes over.</param>
            /// <param name="requires_grad">
            /// Whether the parameter requires a gradient; if false, it keeps the setting of <paramref name="data"/>.
            /// </param>
            public static Modules.Parameter Parameter(Tensor data, bool requires_grad = true) => new(data, requires_grad);
        }
    }
}
