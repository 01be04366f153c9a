#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The uniform distribution on [low, high).</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.uniform.Uniform">
/// torch.distributions.Uniform</see>.
/// </remarks>
public class Uniform : distributions.Distribution
{
    /// <summary>Creates a uniform distribution between two bounds.</summary>
    /// <param name="low">The lower bound, which is included, of any shape.</param>
    /// <param name="high">The upper bound, which is not included, of a shape that broadcasts with <c>low</c>'s.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Uniform(Tensor low, Tensor high, Generator generator = null) : base(generator) => Broadcast(low, high);

    private Tensor low => Parameter(0);

    private Tensor high => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => (high + low) / 2);

    /// <inheritdoc/>
    /// <remarks>NaN: no value is more likely than another.</remarks>
    public override Tensor mode => high * double.NaN;

    /// <inheritdoc/>
    public override Tensor stddev => Scoped(() => (high - low) / Math.Sqrt(12));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => (high - low).pow(2) / 12);

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => low + rand(shape, low.dtype, low.device, generator: generator) * (high - low));
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
        (low.le(value).type_as(low) * high.gt(value).type_as(low)).log() - (high - low).log());

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() => ((value - low) / (high - low)).clamp(0, 1));

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() => value * (high - low) + low);

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => (high - low).log());

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Uniform(given[0], given[1], generator));
}
