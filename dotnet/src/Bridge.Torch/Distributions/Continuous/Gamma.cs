#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The gamma distribution with a shape and a rate.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.gamma.Gamma">
/// torch.distributions.Gamma</see>.
/// </remarks>
public class Gamma : distributions.ExponentialFamily
{
    /// <summary>The shape parameter, also called alpha.</summary>
    protected Tensor concentration;

    /// <summary>Creates a gamma distribution from its shape parameter and its rate.</summary>
    /// <param name="concentration">The shape parameter, also called alpha, positive, of any shape.</param>
    /// <param name="rate">The rate, also called beta, positive, which broadcasts with <c>concentration</c>.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Gamma(Tensor concentration, Tensor rate, Generator generator = null) : base(generator)
    {
        Broadcast(concentration, rate);
        this.concentration = Parameter(0);
    }

    private Tensor rate => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => concentration / rate;

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => ((concentration - 1) / rate).clamp(min: 0));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => concentration / rate.pow(2));

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
        concentration.xlogy(rate) + (concentration - 1).xlogy(value) - rate * value - concentration.lgamma());

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() =>
        concentration - rate.log() + concentration.lgamma() + (1 - concentration) * concentration.digamma());

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() => special.gammainc(concentration, rate * value));

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Gamma(given[0], given[1], generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        concentration = Parameter(0);
    }

    /// <inheritdoc/>
    protected override IList<Tensor> NaturalParams => [concentration - 1, -rate];

    /// <inheritdoc/>
    protected override Tensor MeanCarrierMeasure => tensor(0, rate.dtype, rate.device);

    /// <inheritdoc/>
    protected override Tensor LogNormalizer(params Tensor[] parameters)
    {
        var (shape, negative) = (parameters[0] + 1, parameters[1]);
        return shape.lgamma() + shape * (-negative.reciprocal()).log();
    }
}
