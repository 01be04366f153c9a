using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>What all batch norms share: everything but the shapes that they take.</summary>
public abstract class BatchNorm : BuiltIn
{
    private readonly string _shapes;
    private readonly Parameter? _weight;
    private readonly Parameter? _bias;
    private readonly Tensor? _mean;
    private readonly Tensor? _variance;
    private readonly Tensor? _batches;

    private protected BatchNorm(string name, string shapes, long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device, ScalarType? dtype) : base(name)
    {
        _shapes = shapes;
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

    /// <summary>The weight of the newest batch in the running statistics; NaN for PyTorch's None, the cumulative average.</summary>
    public double momentum { get; }

    public bool affine { get; }

    public bool track_running_stats { get; }

    public Parameter? weight => Initial.Present(_weight);

    public Parameter? bias => Initial.Present(_bias);

    public Tensor? running_mean => Initial.Present(_mean);

    public Tensor? running_var => Initial.Present(_variance);

    public Tensor? num_batches_tracked => Initial.Present(_batches);

    /// <summary>Whether an input may have this number of dimensions.</summary>
    private protected abstract bool Takes(long dimensions);

    private protected sealed override Tensor Compute(Tensor input)
    {
        if (!Takes(input.dim()))
            throw new ArgumentException($"{GetName()} takes {_shapes}, its input has shape [{string.Join(", ", input.shape)}].");
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
            throw new ArgumentException($"{GetName()} needs more than one value per channel to normalize over a batch, its input has shape [{string.Join(", ", input.shape)}].");
        // In training the running statistics are passed to be updated, otherwise to be used.
        var statistics = !training || track_running_stats;
        return nn.functional.batch_norm(input, statistics ? running_mean : null, statistics ? running_var : null, weight, bias, byBatch, double.IsNaN(factor) ? 0 : factor, eps);
    }
}
