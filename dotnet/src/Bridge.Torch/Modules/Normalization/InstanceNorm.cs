using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>
/// The base class of modules that normalize each channel of each example separately. The batch dimension is optional.
/// </summary>
public abstract class InstanceNorm : NormBase
{
    /// <summary>Creates the base of a module that normalizes each channel of each example.</summary>
    /// <param name="num_features">The number of channels.</param>
    /// <param name="eps">The number that is added to the variance.</param>
    /// <param name="momentum">The weight of the newest batch in the running statistics; null or NaN for the average of all batches.</param>
    /// <param name="affine">Whether there are a weight and a bias.</param>
    /// <param name="track_running_stats">Whether to keep running statistics.</param>
    /// <param name="device">The device of the parameters; by default the default device.</param>
    /// <param name="dtype">The type of the parameters; by default the default type.</param>
    /// <param name="name">The name of the class.</param>
    public InstanceNorm(long num_features, double eps, double? momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype, string name)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, name) { }

    /// <summary>Returns the number of dimensions of an input without a batch dimension.</summary>
    protected abstract long GetNumberOfBatchDimensions();

    /// <inheritdoc/>
    protected override void ValidateInputDimensions(Tensor input)
    {
        var dimensions = GetNumberOfBatchDimensions();
        if (input.dim() == dimensions || input.dim() == dimensions + 1) return;
        var sizes = dimensions switch { 2 => "L", 3 => "H, W", _ => "D, H, W" };
        throw ShapeError(input, $"[N, C, {sizes}] or [C, {sizes}]");
    }

    private protected sealed override Tensor Compute(Tensor input)
    {
        ValidateInputDimensions(input);
        var channels = input.dim() == GetNumberOfBatchDimensions() ? 0 : 1;
        // Without parameters and running statistics, any number of channels is valid, as in PyTorch.
        if ((affine || track_running_stats) && input.size(channels) != num_features)
            throw new ArgumentException(
                $"{GetName()} takes {num_features} channels, its input has shape [{string.Join(", ", input.Sizes)}].");
        if (channels == 1) return Apply(input);
        using var batch = input.unsqueeze(0);
        using var result = Apply(batch);
        return result.squeeze(0);
    }

    private Tensor Apply(Tensor input)
    {
        var byInput = training || !track_running_stats;
        return nn.functional.instance_norm(input, running_mean, running_var, weight, bias, byInput, momentum ?? 0, eps);
    }
}

/// <summary>Instance norm of [N, C, L] or [C, L].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm1d.html">InstanceNorm1d</see>.
/// </remarks>
public sealed class InstanceNorm1d : InstanceNorm
{
    internal InstanceNorm1d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(InstanceNorm1d)) { }

    /// <inheritdoc/>
    protected override long GetNumberOfBatchDimensions() => 2;
}

/// <summary>Instance norm of [N, C, H, W] or [C, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html">InstanceNorm2d</see>.
/// </remarks>
public sealed class InstanceNorm2d : InstanceNorm
{
    internal InstanceNorm2d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(InstanceNorm2d)) { }

    /// <inheritdoc/>
    protected override long GetNumberOfBatchDimensions() => 3;
}

/// <summary>Instance norm of [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm3d.html">InstanceNorm3d</see>.
/// </remarks>
public sealed class InstanceNorm3d : InstanceNorm
{
    internal InstanceNorm3d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
        ScalarType? dtype)
        : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(InstanceNorm3d)) { }

    /// <inheritdoc/>
    protected override long GetNumberOfBatchDimensions() => 4;
}

/// <summary>x / (k + alpha * m)^beta, m being the mean of the squares of <c>size</c> neighboring channels.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LocalResponseNorm.html">LocalResponseNorm</see>.
/// </remarks>
[Settings]
public sealed partial class LocalResponseNorm : PlainBuiltIn
{
    internal LocalResponseNorm(long size, double alpha, double beta, double k) : base(nameof(LocalResponseNorm)) =>
        (this.size, this.alpha, this.beta, this.k) = (size, alpha, beta, k);

    private protected override Tensor Compute(Tensor input)
    {
        var dimensions = input.dim();
        if (dimensions < 3)
            throw new ArgumentException(
                $"LocalResponseNorm takes an input of at least 3 dimensions, this one has shape [{string.Join(", ", input.Sizes)}].");
        if (input.numel() == 0) return input.alias();
        using var scope = NewDisposeScope();
        var squares = input.mul(input);
        var shape = input.Sizes;
        Tensor sums;
        if (dimensions == 3)
        {
            var padded = nn.functional.Pad(squares.unsqueeze(1), [0, 0, size / 2, (size - 1) / 2], "constant", 0);
            sums = nn.functional.avg_pool2d(padded, [size, 1], [1, 1]).squeeze(1);
        }
        else
        {
            var padded = nn.functional.Pad(squares.view(shape[0], 1, shape[1], shape[2], -1), [0, 0, 0, 0, size / 2, (size - 1) / 2],
                "constant", 0);
            sums = nn.functional.avg_pool3d(padded, [size, 1, 1], [1, 1, 1], [0, 0, 0], false, true, null).squeeze(1).view(shape);
        }

        return input.div(sums.mul(alpha).add(k).pow(beta)).MoveToOuterDisposeScope();
    }
}
