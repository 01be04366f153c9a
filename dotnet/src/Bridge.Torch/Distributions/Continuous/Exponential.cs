#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The exponential distribution with a rate.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.exponential.Exponential">
/// torch.distributions.Exponential</see>.
/// </remarks>
public class Exponential : distributions.ExponentialFamily
{
    /// <summary>Creates an exponential distribution from its rate.</summary>
    /// <param name="rate">The rate, the reciprocal of the mean, positive, of any shape.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Exponential(Tensor rate, Generator generator = null) : base(generator) => Broadcast(rate);

    private Tensor rate => Parameter(0);

    /// <inheritdoc/>
    public override Tensor mean => rate.reciprocal();

    /// <inheritdoc/>
    public override Tensor mode => rate.zeros_like();

    /// <inheritdoc/>
    public override Tensor variance => rate.pow(-2);

    /// <inheritdoc/>
    public override Tensor stddev => rate.reciprocal();

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => empty(shape, rate.dtype, rate.device).exponential_(1, generator) / rate);
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() => rate.log() - rate * value);

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => 1 - rate.log());

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() => 1 - (-rate * value).exp());

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() => -(-value).log1p() / rate);

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Exponential(given[0], generator));

    /// <inheritdoc/>
    protected override IList<Tensor> NaturalParams => [-rate];

    /// <inheritdoc/>
    protected override Tensor MeanCarrierMeasure => tensor(0, rate.dtype, rate.device);

    /// <inheritdoc/>
    protected override Tensor LogNormalizer(params Tensor[] parameters) => Scoped(() => -(-parameters[0]).log());
}
