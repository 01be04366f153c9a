using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>
    /// Dropout of single elements. In training, each is zeroed with probability <c>p</c>; the others are divided by 1 - p.
    /// </summary>
    public sealed class Dropout : DropoutBase
    {
        internal Dropout(double p, bool inplace) : base(nameof(Dropout), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.dropout(input, p, training, inplace);
    }

    /// <summary>Dropout of entire channels of [N, C, L] or [C, L].</summary>
    public sealed class Dropout1d : DropoutBase
    {
        internal Dropout1d(double p, bool inplace) : base(nameof(Dropout1d), p, inplace) { }

        private protected override Tensor Compute(Tensor input)
        {
            if (input.dim() is not (2 or 3))
                throw new ArgumentException(
                    $"Dropout1d takes [N, C, L] or [C, L], its input has shape [{string.Join(", ", input.Sizes)}].");
            return DropChannels(input, input.dim() == 3);
        }
    }

    /// <summary>Dropout of entire channels of [N, C, …].</summary>
    public sealed class Dropout2d : DropoutBase
    {
        internal Dropout2d(double p, bool inplace) : base(nameof(Dropout2d), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.dropout2d(input, p, training, inplace);
    }

    /// <summary>Dropout of entire channels of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class Dropout3d : DropoutBase
    {
        internal Dropout3d(double p, bool inplace) : base(nameof(Dropout3d), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => DropChannels(input, input.dim() != 4);
    }

    /// <summary>The base class of dropouts.</summary>
    public abstract class DropoutBase : InPlaceModule
    {
        private protected DropoutBase(string name, double p, bool inplace) : base(name, inplace)
        {
            if (p is not (>= 0 and <= 1))
                throw new ArgumentException($"{name}: p must be a probability from 0 to 1, it is {p}.", nameof(p));
            this.p = p;
        }

        public double p { get; set => field = Publish(value); }

        /// <summary>Drops entire channels. <paramref name="batched"/> is false for an input without a batch dimension.</summary>
        private protected Tensor DropChannels(Tensor input, bool batched)
        {
            if (batched) return nn.functional.dropout2d(input, p, training, inplace);
            using var batch = inplace ? input.unsqueeze_(0).alias() : input.unsqueeze(0);
            using var result = nn.functional.dropout2d(batch, p, training, inplace);
            return inplace ? result.squeeze_(0).alias() : result.squeeze(0);
        }
    }

    /// <summary>Dropout that preserves mean 0 and variance 1, for networks with SELU.</summary>
    public sealed class AlphaDropout : DropoutBase
    {
        internal AlphaDropout(double p, bool inplace) : base(nameof(AlphaDropout), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.alpha_dropout(input, p, training, inplace);
    }

    /// <summary>Alpha dropout of entire channels.</summary>
    public sealed class FeatureAlphaDropout : DropoutBase
    {
        internal FeatureAlphaDropout(double p, bool inplace) : base(nameof(FeatureAlphaDropout), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.feature_alpha_dropout(input, p, training, inplace);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Dropout Dropout(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static Dropout1d Dropout1d(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static Dropout2d Dropout2d(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static Dropout3d Dropout3d(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static AlphaDropout AlphaDropout(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static FeatureAlphaDropout FeatureAlphaDropout(double p, bool inplace) => new(p, inplace);

            public static FeatureAlphaDropout FeatureAlphaDropout(double p = 0.5) => new(p, false);
        }
    }
}
