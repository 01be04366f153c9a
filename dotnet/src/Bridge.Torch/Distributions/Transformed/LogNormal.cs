#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The distribution of a number whose logarithm is normal.</summary>
public class LogNormal : TransformedDistribution
{
    internal LogNormal(Tensor loc, Tensor scale, Generator generator = null) : base(generator)
    {
        Broadcast(loc, scale);
        _init(new Normal(loc, scale, generator), [new ExpTransform()]);
    }

    public Tensor loc => Parameter(0);

    public Tensor scale => Parameter(1);

    public override Tensor mean => Scoped(() => (loc + scale.pow(2) / 2).exp());

    public override Tensor mode => Scoped(() => (loc - scale.pow(2)).exp());

    public override Tensor variance => Scoped(() => scale.pow(2).expm1() * (2 * loc + scale.pow(2)).exp());

    public override Tensor entropy() => Scoped(() => base_distribution.entropy() + loc);

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new LogNormal(given[0], given[1], generator));
}
