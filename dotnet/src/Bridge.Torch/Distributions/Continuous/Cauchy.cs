#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Cauchy distribution, with the median <c>loc</c> and the half width at half maximum <c>scale</c>.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.cauchy.Cauchy">
/// torch.distributions.Cauchy</see>.
/// </remarks>
public class Cauchy : distributions.Distribution
{
    /// <summary>Creates a Cauchy distribution around a median.</summary>
    /// <param name="loc">The median, of a shape that broadcasts with <c>scale</c>'s.</param>
    /// <param name="scale">The half width at half maximum of the density; positive.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Cauchy(Tensor loc, Tensor scale, Generator generator = null) : base(generator) => Broadcast(loc, scale);

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mode => loc;

    /// <inheritdoc/>
    /// <remarks>NaN: a Cauchy distribution has no mean.</remarks>
    public override Tensor mean => loc.full_like(double.NaN);

    /// <inheritdoc/>
    /// <remarks>Infinity.</remarks>
    public override Tensor variance => loc.full_like(double.PositiveInfinity);

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => loc + empty(shape, loc.dtype, loc.device).cauchy_(0, 1, generator) * scale);
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) =>
        Scoped(() => -Math.Log(Math.PI) - scale.log() - ((value - loc) / scale).pow(2).log1p());

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => Math.Log(4 * Math.PI) + scale.log());

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() => ((value - loc) / scale).atan() / Math.PI + 0.5);

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() => (Math.PI * (value - 0.5)).tan() * scale + loc);

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Cauchy(given[0], given[1], generator));
}
