#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Poisson distribution with a rate.</summary>
public class Poisson : distributions.ExponentialFamily
{
    public Poisson(Tensor rate, Generator generator = null) : base(generator) => Broadcast(rate);

    private Tensor rate => Parameter(0);

    public override Tensor mean => rate;

    public override Tensor mode => rate.floor();

    public override Tensor variance => rate;

    public override Tensor rsample(params long[] sample_shape) => Scoped(() => rate.expand(ExtendedShape(sample_shape)).poisson(generator));

    public override Tensor log_prob(Tensor value) => Scoped(() => value.xlogy(rate) - rate - (value + 1).lgamma());

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Poisson(given[0], generator));

    protected override IList<Tensor> NaturalParams => [rate.log()];

    /// <exception cref="NotImplementedException">Always: PyTorch has none either, and so no entropy.</exception>
    protected override Tensor MeanCarrierMeasure => throw new NotImplementedException("Poisson has no mean carrier measure.");

    protected override Tensor LogNormalizer(params Tensor[] parameters) => parameters[0].exp();
}
