using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>y = x W^T + b, over the last dimension.</summary>
    public sealed class Linear : BuiltIn
    {
        internal Linear(long inputSize, long outputSize, bool hasBias, Device? device, ScalarType? dtype) : base(nameof(Linear))
        {
            (in_features, out_features) = (inputSize, outputSize);
            weight = Initial.Weight([outputSize, inputSize], inputSize, device, dtype);
            register_parameter(nameof(weight), weight);
            if (!hasBias) return;
            bias = Initial.Bias(outputSize, inputSize, device, dtype);
            register_parameter(nameof(bias), bias);
        }

        public long in_features { get; }

        public long out_features { get; }

        public Parameter weight { get; }

        public Parameter? bias { get; }

        private protected override Tensor Compute(Tensor input) => nn.functional.linear(input, weight, Initial.Present(bias));
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Modules.Linear Linear(long inputSize, long outputSize, bool hasBias = true, Device? device = null, ScalarType? dtype = null) =>
                new(inputSize, outputSize, hasBias, device, dtype);
        }
    }
}
