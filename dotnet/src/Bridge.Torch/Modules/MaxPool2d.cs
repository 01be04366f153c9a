using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The largest element of each window.</summary>
    public sealed class MaxPool2d : PlainBuiltIn
    {
        internal MaxPool2d(long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation, bool ceil_mode) : base(nameof(MaxPool2d))
        {
            this.kernel_size = kernel_size;
            this.stride = stride ?? kernel_size;
            this.padding = padding ?? [0, 0];
            this.dilation = dilation ?? [1, 1];
            this.ceil_mode = ceil_mode;
        }

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public long[] padding { get; set => field = Publish(value); }

        public long[] dilation { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        /// <summary>The largest elements, and where each is in the plane.</summary>
        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) => nn.functional.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

        private protected override Tensor Compute(Tensor input) => nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Modules.MaxPool2d MaxPool2d(long kernel_size, long? stride = null, long? padding = null, long? dilation = null, bool ceil_mode = false) =>
                new(Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), Sizes.Of(2, dilation), ceil_mode);

            public static Modules.MaxPool2d MaxPool2d((long, long) kernel_size, (long, long)? stride = null, (long, long)? padding = null, (long, long)? dilation = null, bool ceil_mode = false) =>
                new(Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), Sizes.Of(dilation), ceil_mode);

            public static Modules.MaxPool2d MaxPool2d(long[] kernel_size, long[]? stride = null, long[]? padding = null, long[]? dilation = null, bool ceil_mode = false) =>
                new(kernel_size, stride, padding, dilation, ceil_mode);
        }
    }
}
