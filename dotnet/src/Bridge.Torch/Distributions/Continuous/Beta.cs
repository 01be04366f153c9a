#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The beta distribution. It is the distribution of the first number in a sample of a two-number Dirichlet distribution.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.beta.Beta">
/// torch.distributions.Beta</see>.
/// </remarks>
public class Beta : distributions.ExponentialFamily
{
    /// <summary>The distribution of the pairs of a sample x and 1 - x.</summary>
    protected Dirichlet dirichlet;

    /// <summary>Creates a beta distribution from its two concentrations.</summary>
    /// <param name="concentration1">The first concentration, alpha, positive, of any shape.</param>
    /// <param name="concentration0">The second concentration, beta, positive, which broadcasts with <c>concentration1</c>.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Beta(Tensor concentration1, Tensor concentration0, Generator generator = null) : base(generator)
    {
        Broadcast(concentration1, concentration0);
        using var scope = NewDisposeScope();
        dirichlet = Own(new Dirichlet(stack([Parameter(0), Parameter(1)], -1), generator));
    }

    private Tensor concentration1 => Parameter(0);

    private Tensor concentration0 => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => concentration1 / (concentration1 + concentration0));

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => dirichlet.mode.select(-1, 0));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() =>
    {
        var total = concentration1 + concentration0;
        return concentration1 * concentration0 / (total.pow(2) * (total + 1));
    });

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() => dirichlet.rsample(sample_shape).select(-1, 0));

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() => dirichlet.log_prob(stack([value, 1 - value], -1)));

    /// <inheritdoc/>
    public override Tensor entropy() => dirichlet.entropy();

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Beta(given[0], given[1], generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        dirichlet = ((Beta)other).dirichlet;
    }

    /// <inheritdoc/>
    protected override IList<Tensor> NaturalParams => [concentration1, concentration0];

    /// <inheritdoc/>
    protected override Tensor MeanCarrierMeasure => tensor(0, concentration1.dtype, concentration1.device);

    /// <inheritdoc/>
    protected override Tensor LogNormalizer(params Tensor[] parameters)
    {
        var (x, y) = (parameters[0], parameters[1]);
        return x.lgamma() + y.lgamma() - (x + y).lgamma();
    }
}
