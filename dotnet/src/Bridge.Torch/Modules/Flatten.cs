using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>A merge of a range of dimensions into one.</summary>
    public sealed class Flatten : PlainBuiltIn
    {
        internal Flatten(long start_dim, long end_dim) : base(nameof(Flatten)) => (this.start_dim, this.end_dim) = (start_dim, end_dim);

        public long start_dim { get; set => field = Publish(value); }

        public long end_dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.flatten(start_dim, end_dim);
    }

    /// <summary>A module that returns its input.</summary>
    public sealed class Identity : PlainBuiltIn
    {
        internal Identity() : base(nameof(Identity)) { }

        private protected override Tensor Compute(Tensor input) => input.alias();
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Flatten Flatten(long start_dim = 1, long end_dim = -1) => new(start_dim, end_dim);

            public static Identity Identity() => new();
        }
    }
}
