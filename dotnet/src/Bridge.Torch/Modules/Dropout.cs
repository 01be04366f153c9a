using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>In training, zeroes elements with probability p and scales the rest up; the mask comes from libtorch's own generator.</summary>
    public sealed class Dropout : DropoutBase
    {
        internal Dropout(double p, bool inplace) : base(nameof(Dropout), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.dropout(input, p, training, inplace);
    }

    /// <summary>The same for entire channels of [N, C, …].</summary>
    public sealed class Dropout2d : DropoutBase
    {
        internal Dropout2d(double p, bool inplace) : base(nameof(Dropout2d), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.dropout2d(input, p, training, inplace);
    }

    /// <summary>The base class of dropouts.</summary>
    public abstract class DropoutBase : InPlaceModule
    {
        private protected DropoutBase(string name, double p, bool inplace) : base(name, inplace)
        {
            if (p is not (>= 0 and <= 1)) throw new ArgumentException($"{name}: p must be a probability from 0 to 1, it is {p}.", nameof(p));
            this.p = p;
        }

        public double p { get; set => field = Publish(value); }

        /// <summary>Zeroes entire channels, also of an example without a batch dimension.</summary>
        private protected Tensor OfChannels(Tensor input, bool batched)
        {
            if (batched) return nn.functional.dropout2d(input, p, training, inplace);
            using var batch = inplace ? input.unsqueeze_(0).alias() : input.unsqueeze(0);
            using var result = nn.functional.dropout2d(batch, p, training, inplace);
            return inplace ? result.squeeze_(0).alias() : result.squeeze(0);
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Dropout Dropout(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static Dropout2d Dropout2d(double p = 0.5, bool inplace = false) => new(p, inplace);
        }
    }
}
