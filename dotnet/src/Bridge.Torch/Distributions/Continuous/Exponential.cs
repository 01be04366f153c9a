#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The exponential distribution with a rate.</summary>
public class Exponential : distributions.ExponentialFamily
{
    public Exponential(Tensor rate, Generator generator = null) : base(generator) => Broadcast(rate);

    private Tensor rate => Parameter(0);

    public override Tensor mean => rate.reciprocal();

    public override Tensor mode => rate.zeros_like();

    public override Tensor variance => rate.pow(-2);

    public override Tensor stddev => rate.reciprocal();

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => empty(shape, rate.dtype, rate.device).exponential_(1, generator) / rate);
    }

    public override Tensor log_prob(Tensor value) => Scoped(() => rate.log() - rate * value);

    public override Tensor entropy() => Scoped(() => 1 - rate.log());

    public override Tensor cdf(Tensor value) => Scoped(() => 1 - (-rate * value).exp());

    public override Tensor icdf(Tensor value) => Scoped(() => -(-value).log1p() / rate);

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Exponential(given[0], generator));

    protected override IList<Tensor> NaturalParams => [-rate];

    protected override Tensor MeanCarrierMeasure => tensor(0, rate.dtype, rate.device);

    protected override Tensor LogNormalizer(params Tensor[] parameters) => Scoped(() => -(-parameters[0]).log());
}
