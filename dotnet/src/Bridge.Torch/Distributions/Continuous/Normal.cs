#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The normal distribution with a mean and a standard deviation.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.normal.Normal">
/// torch.distributions.Normal</see>.
/// </remarks>
public class Normal : distributions.Distribution
{
    /// <summary>Creates a normal distribution from its mean and its standard deviation.</summary>
    /// <param name="loc">The mean, of a shape that broadcasts with <c>scale</c>'s.</param>
    /// <param name="scale">The standard deviation, positive, of a shape that broadcasts with <c>loc</c>'s.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Normal(Tensor loc, Tensor scale, Generator generator = null) : base(generator) => Broadcast(loc, scale);

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => loc;

    /// <inheritdoc/>
    public override Tensor mode => loc;

    /// <inheritdoc/>
    public override Tensor stddev => scale;

    /// <inheritdoc/>
    public override Tensor variance => scale.pow(2);

    /// <inheritdoc/>
    public override Tensor sample(params long[] sample_shape)
    {
        using var off = no_grad();
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => normal(loc.expand(shape), scale.expand(shape), generator));
    }

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => loc + empty(shape, loc.dtype, loc.device).normal_(0, 1, generator) * scale);
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) =>
        Scoped(() => -(value - loc).pow(2) / (2 * scale.pow(2)) - scale.log() - Math.Log(Math.Sqrt(2 * Math.PI)));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => 0.5 + 0.5 * Math.Log(2 * Math.PI) + scale.log());

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) =>
        Scoped(() => 0.5 * (1 + ((value - loc) * scale.reciprocal() / Math.Sqrt(2)).erf()));

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() => loc + scale * (2 * value - 1).erfinv() * Math.Sqrt(2));

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Normal(given[0], given[1], generator));
}
