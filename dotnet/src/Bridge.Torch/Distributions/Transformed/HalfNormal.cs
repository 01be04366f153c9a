#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The distribution of the absolute value of a normal distribution around zero.</summary>
public class HalfNormal : TransformedDistribution
{
    internal HalfNormal(Tensor scale, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(scale);
        _init(new Normal(scale.zeros_like(), scale, generator), [new AbsTransform()]);
    }

    public Tensor scale => Parameter(0);

    public override Tensor mean => scale * Math.Sqrt(2 / Math.PI);

    public override Tensor mode => scale.zeros_like();

    public override Tensor variance => Scoped(() => scale.pow(2) * (1 - 2 / Math.PI));

    public override Tensor log_prob(Tensor value) => Scoped(() =>
        (base_distribution.log_prob(value) + Math.Log(2)).masked_fill(value < 0, double.NegativeInfinity));

    public override Tensor cdf(Tensor value) => Scoped(() => 2 * base_distribution.cdf(value) - 1);

    public override Tensor icdf(Tensor prob) => Scoped(() => base_distribution.icdf((prob + 1) / 2));

    public override Tensor entropy() => Scoped(() => base_distribution.entropy() - Math.Log(2));

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new HalfNormal(given[0], generator));
}
