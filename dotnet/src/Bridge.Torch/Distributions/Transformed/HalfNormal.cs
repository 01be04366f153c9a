#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The distribution of the absolute value of a normal distribution around zero.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.half_normal.HalfNormal">
/// torch.distributions.HalfNormal</see>.
/// </remarks>
public class HalfNormal : TransformedDistribution
{
    internal HalfNormal(Tensor scale, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(scale);
        _init(new Normal(scale.zeros_like(), scale, generator), [new AbsTransform()]);
    }

    /// <summary>Gets the standard deviation of the normal distribution that this <c>HalfNormal</c> folds at zero.</summary>
    public Tensor scale => Parameter(0);

    /// <inheritdoc/>
    public override Tensor mean => scale * Math.Sqrt(2 / Math.PI);

    /// <inheritdoc/>
    public override Tensor mode => scale.zeros_like();

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => scale.pow(2) * (1 - 2 / Math.PI));

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
        (base_distribution.log_prob(value) + Math.Log(2)).masked_fill(value < 0, double.NegativeInfinity));

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() => 2 * base_distribution.cdf(value) - 1);

    /// <inheritdoc/>
    /// <param name="prob">The probabilities, from 0 to 1, of a shape that broadcasts with the batch's.</param>
    public override Tensor icdf(Tensor prob) => Scoped(() => base_distribution.icdf((prob + 1) / 2));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => base_distribution.entropy() - Math.Log(2));

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new HalfNormal(given[0], generator));
}
