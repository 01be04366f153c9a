#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The distribution of the absolute value of a Cauchy distribution around zero.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.half_cauchy.HalfCauchy">
/// torch.distributions.HalfCauchy</see>.
/// </remarks>
public class HalfCauchy : TransformedDistribution
{
    internal HalfCauchy(Tensor scale, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(scale);
        _init(new Cauchy(scale.zeros_like(), scale, generator), [new AbsTransform()]);
    }

    /// <summary>Gets the scale of the Cauchy distribution that this <c>HalfCauchy</c> folds at zero.</summary>
    public Tensor scale => Parameter(0);

    /// <inheritdoc/>
    /// <remarks>Infinity.</remarks>
    public override Tensor mean => scale.full_like(double.PositiveInfinity);

    /// <inheritdoc/>
    public override Tensor mode => scale.zeros_like();

    /// <inheritdoc/>
    /// <remarks>Infinity.</remarks>
    public override Tensor variance => base_distribution.variance;

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
        (base_distribution.log_prob(value) + Math.Log(2)).masked_fill(value < 0, double.NegativeInfinity));

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() => 2 * base_distribution.cdf(value) - 1);

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() => base_distribution.icdf((value + 1) / 2));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => base_distribution.entropy() - Math.Log(2));

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new HalfCauchy(given[0], generator));
}
