#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Poisson distribution with a rate.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.poisson.Poisson">
/// torch.distributions.Poisson</see>.
/// </remarks>
public class Poisson : distributions.ExponentialFamily
{
    /// <summary>Creates a Poisson distribution from its rate.</summary>
    /// <param name="rate">The rate, which is also the mean, nonnegative, of any shape.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Poisson(Tensor rate, Generator generator = null) : base(generator) => Broadcast(rate);

    private Tensor rate => Parameter(0);

    /// <inheritdoc/>
    public override Tensor mean => rate;

    /// <inheritdoc/>
    public override Tensor mode => rate.floor();

    /// <inheritdoc/>
    public override Tensor variance => rate;

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() => rate.expand(ExtendedShape(sample_shape)).poisson(generator));

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() => value.xlogy(rate) - rate - (value + 1).lgamma());

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Poisson(given[0], generator));

    /// <inheritdoc/>
    protected override IList<Tensor> NaturalParams => [rate.log()];

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch. So the entropy is not implemented either.</exception>
    protected override Tensor MeanCarrierMeasure => throw new NotImplementedException("Poisson has no mean carrier measure.");

    /// <inheritdoc/>
    protected override Tensor LogNormalizer(params Tensor[] parameters) => parameters[0].exp();
}
