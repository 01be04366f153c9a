using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>exp(x) / sum exp(x) along one dimension.</summary>
    public sealed class Softmax : PlainBuiltIn
    {
        internal Softmax(long dim) : base(nameof(Softmax)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.softmax(dim);
    }

    /// <summary>The logarithm of Softmax.</summary>
    public sealed class LogSoftmax : PlainBuiltIn
    {
        internal LogSoftmax(long dim) : base(nameof(LogSoftmax)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.log_softmax(input, dim);
    }

    /// <summary>Softmax over the channels of [N, C, H, W] or [C, H, W].</summary>
    public sealed class Softmax2d : PlainBuiltIn
    {
        internal Softmax2d() : base(nameof(Softmax2d)) { }

        private protected override Tensor Compute(Tensor input) => input.dim() is 3 or 4 ? input.softmax(-3)
            : throw new ArgumentException(
                $"Softmax2d takes [N, C, H, W] or [C, H, W], its input has shape [{string.Join(", ", input.Sizes)}].");
    }

    /// <summary>Softmax of -x.</summary>
    public sealed class Softmin : PlainBuiltIn
    {
        internal Softmin(long dim) : base(nameof(Softmin)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.softmin(input, dim);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Softmax Softmax(long dim) => new(dim);

            public static LogSoftmax LogSoftmax(long dim) => new(dim);

            public static Softmax2d Softmax2d() => new();

            public static Softmin Softmin(long dim) => new(dim);
        }
    }
}
