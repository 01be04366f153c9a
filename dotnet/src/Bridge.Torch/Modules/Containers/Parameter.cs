using Bridge.Torch.Native;

namespace TorchSharp.Modules
{
    /// <summary>A tensor that a module registers as its parameter.</summary>
    public class Parameter : torch.Tensor
    {
        /// <summary>Takes over the handle and dispose scope of <paramref name="data"/>, which is invalid afterwards.</summary>
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
            public static Modules.Parameter Parameter(Tensor data, bool requires_grad = true) => new(data, requires_grad);
        }
    }
}
