#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Dirichlet distribution of nonnegative numbers whose sum over the last dimension is 1.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.dirichlet.Dirichlet">
/// torch.distributions.Dirichlet</see>.
/// </remarks>
public class Dirichlet : distributions.ExponentialFamily
{
    /// <summary>Creates a Dirichlet distribution from its concentrations.</summary>
    /// <param name="concentration">The concentrations, positive; the last dimension holds those of one distribution.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException"><paramref name="concentration"/> has no dimension.</exception>
    public Dirichlet(Tensor concentration, Generator generator = null) : base(generator)
    {
        if (concentration.dim() < 1) throw new ArgumentException("'concentration' has no dimension.");
        Keep(concentration.shape[..^1], concentration.shape[^1..], concentration);
    }

    private Tensor concentration => Parameter(0);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => concentration / concentration.sum(-1, keepdim: true));

    /// <inheritdoc/>
    /// <remarks>If every concentration is below 1, each corner of the simplex is a mode; this is the first corner.</remarks>
    public override Tensor mode => Scoped(() =>
    {
        var above = (concentration - 1).clamp(min: 0);
        var parts = above / above.sum(-1, keepdim: true);
        // If every concentration is below 1, the parts are NaN and each corner is a mode. This returns the first corner, as PyTorch does.
        var corner = nn.functional.one_hot(parts.argmax(-1), concentration.shape[^1]).to_type(parts.dtype);
        return where((concentration < 1).all(-1, keepdim: true), corner, parts);
    });

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() =>
    {
        var total = concentration.sum(-1, keepdim: true);
        return concentration * (total - concentration) / (total.pow(2) * (total + 1));
    });

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() =>
    {
        var expanded = concentration.expand(ExtendedShape(sample_shape));
        var drawn = _sample_dirichlet(expanded.detach(), generator);
        if (!expanded.requires_grad) return drawn;
        // The operator has no gradient, so a term is added whose value is zero and whose gradient is that of the sample.
        var change = (expanded - expanded.detach()) * DirichletGrad(drawn, expanded.detach(), expanded.detach().sum(-1, keepdim: true)
            .expand_as(expanded));
        return drawn + change - drawn * change.sum(-1, keepdim: true);
    });

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
        (concentration - 1).xlogy(value).sum(-1) + concentration.sum(-1).lgamma() - concentration.lgamma().sum(-1));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() =>
    {
        var (count, total) = (concentration.shape[^1], concentration.sum(-1));
        return concentration.lgamma().sum(-1) - total.lgamma() - (count - total) * total.digamma()
            - ((concentration - 1) * concentration.digamma()).sum(-1);
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Dirichlet(given[0], generator));

    /// <inheritdoc/>
    protected override IList<Tensor> NaturalParams => [concentration];

    /// <inheritdoc/>
    protected override Tensor MeanCarrierMeasure => tensor(0, concentration.dtype, concentration.device);

    /// <inheritdoc/>
    protected override Tensor LogNormalizer(params Tensor[] parameters) =>
        Scoped(() => parameters[0].lgamma().sum(-1) - parameters[0].sum(-1).lgamma());
}
