#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The gamma distribution with a shape and a rate.</summary>
public class Gamma : distributions.ExponentialFamily
{
    /// <summary>The shape.</summary>
    protected Tensor concentration;

    public Gamma(Tensor concentration, Tensor rate, Generator generator = null) : base(generator)
    {
        Broadcast(concentration, rate);
        this.concentration = Parameter(0);
    }

    private Tensor rate => Parameter(1);

    public override Tensor mean => concentration / rate;

    public override Tensor mode => Scoped(() => ((concentration - 1) / rate).clamp(min: 0));

    public override Tensor variance => Scoped(() => concentration / rate.pow(2));

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var value = _standard_gamma(concentration.expand(shape), generator) / rate.expand(shape);
            // Detached, so that samples that are too small for the type keep their gradient.
            value.detach().clamp_(min: finfo(value.dtype).tiny);
            return value;
        });
    }

    public override Tensor log_prob(Tensor value) => Scoped(() =>
        concentration.xlogy(rate) + (concentration - 1).xlogy(value) - rate * value - concentration.lgamma());

    public override Tensor entropy() => Scoped(() =>
        concentration - rate.log() + concentration.lgamma() + (1 - concentration) * concentration.digamma());

    public override Tensor cdf(Tensor value) => Scoped(() => special.gammainc(concentration, rate * value));

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Gamma(given[0], given[1], generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        concentration = Parameter(0);
    }

    protected override IList<Tensor> NaturalParams => [concentration - 1, -rate];

    protected override Tensor MeanCarrierMeasure => tensor(0, rate.dtype, rate.device);

    protected override Tensor LogNormalizer(params Tensor[] parameters)
    {
        var (shape, negative) = (parameters[0] + 1, parameters[1]);
        return shape.lgamma() + shape * (-negative.reciprocal()).log();
    }
}
