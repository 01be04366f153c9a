#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The distribution of a number whose logarithm is normal.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.log_normal.LogNormal">
/// torch.distributions.LogNormal</see>.
/// </remarks>
public class LogNormal : TransformedDistribution
{
    internal LogNormal(Tensor loc, Tensor scale, Generator generator = null) : base(generator)
    {
        Broadcast(loc, scale);
        _init(new Normal(loc, scale, generator), [new ExpTransform()]);
    }

    /// <summary>Gets the mean of the logarithms of this <c>LogNormal</c>'s samples.</summary>
    public Tensor loc => Parameter(0);

    /// <summary>Gets the standard deviation of the logarithms of this <c>LogNormal</c>'s samples.</summary>
    public Tensor scale => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => (loc + scale.pow(2) / 2).exp());

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => (loc - scale.pow(2)).exp());

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => scale.pow(2).expm1() * (2 * loc + scale.pow(2)).exp());

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => base_distribution.entropy() + loc);

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new LogNormal(given[0], given[1], generator));
}
