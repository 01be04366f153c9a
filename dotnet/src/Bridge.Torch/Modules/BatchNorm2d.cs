using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Normalizes each channel of [N, C, H, W] over the batch, or by running statistics in evaluation mode.</summary>
    public sealed class BatchNorm2d : BuiltIn
    {
        private readonly Parameter? _weight;
        private readonly Parameter? _bias;
        private readonly Tensor? _mean;
        private readonly Tensor? _variance;
        private readonly Tensor? _batches;

        internal BatchNorm2d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device, ScalarType? dtype) : base(nameof(BatchNorm2d))
        {
            (this.num_features, this.eps, this.momentum, this.affine, this.track_running_stats) = (num_features, eps, momentum, affine, track_running_stats);
            using var off = no_grad();
            if (affine)
            {
                register_parameter("weight", _weight = new Parameter(ones([num_features], dtype, device)));
                register_parameter("bias", _bias = new Parameter(zeros([num_features], dtype, device)));
            }

            if (!track_running_stats) return;
            register_buffer("running_mean", _mean = zeros([num_features], dtype, device));
            register_buffer("running_var", _variance = ones([num_features], dtype, device));
            // int64 as in PyTorch, whatever the module's element type is (TorchSharp gives it that type).
            register_buffer("num_batches_tracked", _batches = zeros([], int64, device));
        }

        public long num_features { get; }

        public double eps { get; }

        /// <summary>Share of the newest batch in the running statistics; NaN for PyTorch's None, the cumulative average.</summary>
        public double momentum { get; }

        public bool affine { get; }

        public bool track_running_stats { get; }

        public Parameter? weight => Initial.Present(_weight);

        public Parameter? bias => Initial.Present(_bias);

        public Tensor? running_mean => Initial.Present(_mean);

        public Tensor? running_var => Initial.Present(_variance);

        public Tensor? num_batches_tracked => Initial.Present(_batches);

        private protected override Tensor Compute(Tensor input)
        {
            if (input.dim() != 4)
                throw new ArgumentException($"BatchNorm2d takes [N, C, H, W], its input has shape [{string.Join(", ", input.shape)}].");
            var factor = momentum;
            if (training && num_batches_tracked is { } batches)
            {
                using var off = no_grad();
                using var next = batches + 1;
                batches.copy_(next);
                if (double.IsNaN(momentum)) factor = 1.0 / batches.item<long>();
            }

            var byBatch = training || (running_mean is null && running_var is null);
            if (byBatch && input.numel() == input.size(1))
                throw new ArgumentException($"BatchNorm2d needs more than one value per channel to normalize over a batch, its input has shape [{string.Join(", ", input.shape)}].");
            // In training the running statistics are given to be updated, otherwise to be used.
            var statistics = !training || track_running_stats;
            return nn.functional.batch_norm(input, statistics ? running_mean : null, statistics ? running_var : null, weight, bias, byBatch, double.IsNaN(factor) ? 0 : factor, eps);
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Modules.BatchNorm2d BatchNorm2d(long num_features, double eps = 1e-05, double momentum = 0.1, bool affine = true, bool track_running_stats = true,
                Device? device = null, ScalarType? dtype = null) => new(num_features, eps, momentum, affine, track_running_stats, device, dtype);
        }
    }
}
