using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>max(x, 0).</summary>
    public sealed class ReLU : BuiltIn
    {
        internal ReLU(bool inplace) : base(nameof(ReLU)) => this.inplace = inplace;

        public bool inplace { get; }

        private protected override Tensor Compute(Tensor input) => inplace ? input.relu_().alias() : input.relu();
    }

    /// <summary>max(x, 0) + weight * min(x, 0), one weight for all or one per channel.</summary>
    public sealed class PReLU : BuiltIn
    {
        internal PReLU(long num_parameters, double init, Device? device, ScalarType? dtype) : base(nameof(PReLU))
        {
            (this.num_parameters, this.init) = (num_parameters, init);
            weight = new Parameter(Initial.Filled([num_parameters], init, device, dtype));
            register_parameter(nameof(weight), weight);
        }

        public long num_parameters { get; }

        public double init { get; }

        public Parameter weight { get; }

        private protected override Tensor Compute(Tensor input) => nn.functional.prelu(input, weight);
    }

    /// <summary>exp(x) / sum exp(x) along one dimension.</summary>
    public sealed class Softmax : BuiltIn
    {
        internal Softmax(long dim) : base(nameof(Softmax)) => this.dim = dim;

        public long dim { get; }

        private protected override Tensor Compute(Tensor input) => input.softmax(dim);
    }

    /// <summary>Merges a range of dimensions into one.</summary>
    public sealed class Flatten : BuiltIn
    {
        internal Flatten(long start_dim, long end_dim) : base(nameof(Flatten)) => (this.start_dim, this.end_dim) = (start_dim, end_dim);

        public long start_dim { get; }

        public long end_dim { get; }

        private protected override Tensor Compute(Tensor input) => input.flatten(start_dim, end_dim);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Modules.ReLU ReLU(bool inplace = false) => new(inplace);

            public static Modules.PReLU PReLU(long num_parameters, double init = 0.25, Device? device = null, ScalarType? dtype = null) => new(num_parameters, init, device, dtype);

            public static Modules.Softmax Softmax(long dim) => new(dim);

            public static Modules.Flatten Flatten(long start_dim = 1, long end_dim = -1) => new(start_dim, end_dim);
        }
    }
}
