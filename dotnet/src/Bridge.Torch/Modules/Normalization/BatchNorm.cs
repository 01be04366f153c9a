using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The base class of normalization modules with running statistics.</summary>
[Settings]
public abstract partial class NormBase : BuiltIn
{
    /// <summary>Creates the base of a module that normalizes each channel.</summary>
    /// <param name="num_features">The number of channels.</param>
    /// <param name="eps">The number that is added to the variance.</param>
    /// <param name="momentum">The weight of the newest batch in the running statistics; null or NaN for the average of all batches.</param>
    /// <param name="affine">Whether there are a weight and a bias.</param>
    /// <param name="track_running_stats">Whether to keep running statistics.</param>
    /// <param name="device">The device of the parameters; by default the default device.</param>
    /// <param name="dtype">The type of the parameters; by default the default type.</param>
    /// <param name="name">The name of the class.</param>
    public NormBase(long num_features, double eps, double? momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype, string name) : base(name)
    {
        (this.num_features, this.eps, this.affine, this.track_running_stats) = (num_features, eps, affine, track_running_stats);
        this.momentum = momentum is { } given && double.IsNaN(given) ? null : momentum;
        using var off = no_grad();
        if (affine)
        {
            weight = new Parameter(ones([num_features], dtype, device));
            bias = new Parameter(zeros([num_features], dtype, device));
        }

        if (!track_running_stats) return;
        running_mean = zeros([num_features], dtype, device);
        running_var = ones([num_features], dtype, device);
        // int64 as in PyTorch, whatever the module's element type.
        num_batches_tracked = zeros([], ScalarType.Int64, device);
    }

    /// <summary>Gets or sets the weight of the newest batch in the running statistics; null for the average of all batches.</summary>
    public double? momentum { get; set => field = Publish(value); }

    /// <summary>Gets or sets the factor of each normalized channel; null without <see cref="affine"/>.</summary>
    public Parameter weight { get => ParameterInitializers.ValueOrNull(field)!; set => field = Put(value); }

    /// <summary>Gets or sets the summand of each normalized channel; null without <see cref="affine"/>.</summary>
    public Parameter? bias { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    /// <summary>Gets or sets the running mean of each channel; null without <see cref="track_running_stats"/>.</summary>
    public Tensor? running_mean { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    /// <summary>Gets or sets the running variance of each channel; null without <see cref="track_running_stats"/>.</summary>
    public Tensor? running_var { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    /// <summary>Gets or sets the number of batches in the running statistics; null without <see cref="track_running_stats"/>.</summary>
    public Tensor? num_batches_tracked { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    /// <summary>Resets the running mean to 0, the running variance to 1 and the number of batches to 0.</summary>
    public void reset_running_stats()
    {
        using var off = no_grad();
        running_mean?.zero_();
        running_var?.fill_(1);
        num_batches_tracked?.zero_();
    }

    /// <summary>Resets the running statistics, the weight to 1 and the bias to 0.</summary>
    public void reset_parameters()
    {
        reset_running_stats();
        using var off = no_grad();
        using var weights = weight?.detach();
        using var biases = bias?.detach();
        weights?.fill_(1);
        biases?.zero_();
    }

    /// <summary>Throws an exception if an input has a wrong number of dimensions.</summary>
    /// <param name="input">The input.</param>
    /// <exception cref="ArgumentException">The input has a wrong number of dimensions.</exception>
    protected abstract void ValidateInputDimensions(Tensor input);

    private protected ArgumentException ShapeError(Tensor input, string shapes) =>
        new($"{GetName()} takes {shapes}, its input has shape [{string.Join(", ", input.Sizes)}].");
}

/// <summary>The base class of batch norms.</summary>
public abstract class BatchNorm : NormBase
{
    /// <summary>Creates the base of a module that normalizes each channel over the batch.</summary>
    /// <param name="num_features">The number of channels.</param>
    /// <param name="eps">The number that is added to the variance.</param>
    /// <param name="momentum">The weight of the newest batch in the running statistics; NaN for the average of all batches.</param>
    /// <param name="affine">Whether there are a weight and a bias.</param>
    /// <param name="track_running_stats">Whether to keep running statistics.</param>
    /// <param name="device">The device of the parameters; by default the default device.</param>
    /// <param name="dtype">The type of the parameters; by default the default type.</param>
    /// <param name="name">The name of the class.</param>
    public BatchNorm(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype, string name)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, name) { }

    private protected sealed override Tensor Compute(Tensor input)
    {
        ValidateInputDimensions(input);
        var factor = momentum ?? 0;
        if (training && num_batches_tracked is { } batches)
        {
            using var off = no_grad();
            using var next = batches + 1;
            batches.copy_(next);
            if (momentum is null) factor = 1.0 / batches.item<long>();
        }

        var byBatch = training || (running_mean is null && running_var is null);
        // In training mode, the operator updates the statistics that it gets. Otherwise, it normalizes by them.
        var statistics = !training || track_running_stats;
        return nn.functional.batch_norm(input, statistics
            ? running_mean : null, statistics ? running_var : null, weight, bias, byBatch, factor, eps);
    }
}

/// <summary>
/// Normalization of each channel of [N, C] or [N, C, L] over the batch; in evaluation mode, by the running statistics, if any.
/// </summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html">BatchNorm1d</see>.</remarks>
public sealed class BatchNorm1d : BatchNorm
{
    internal BatchNorm1d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(BatchNorm1d)) { }

    /// <inheritdoc/>
    protected override void ValidateInputDimensions(Tensor input)
    {
        if (input.dim() is not (2 or 3)) throw ShapeError(input, "[N, C] or [N, C, L]");
    }
}

/// <summary>
/// Normalization of each channel of [N, C, H, W] over the batch; in evaluation mode, by the running statistics, if any.
/// </summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html">BatchNorm2d</see>.</remarks>
public sealed class BatchNorm2d : BatchNorm
{
    internal BatchNorm2d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(BatchNorm2d)) { }

    /// <inheritdoc/>
    protected override void ValidateInputDimensions(Tensor input)
    {
        if (input.dim() != 4) throw ShapeError(input, "[N, C, H, W]");
    }
}

/// <summary>
/// Normalization of each channel of [N, C, D, H, W] over the batch; in evaluation mode, by the running statistics, if any.
/// </summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm3d.html">BatchNorm3d</see>.</remarks>
public sealed class BatchNorm3d : BatchNorm
{
    internal BatchNorm3d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(BatchNorm3d)) { }

    /// <inheritdoc/>
    protected override void ValidateInputDimensions(Tensor input)
    {
        if (input.dim() != 5) throw ShapeError(input, "[N, C, D, H, W]");
    }
}
