#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The multinomial distribution: how often each category comes up in a number of trials.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.multinomial.Multinomial">
/// torch.distributions.Multinomial</see>.
/// </remarks>
public class Multinomial : distributions.Distribution
{
    private Categorical categorical;

    /// <summary>The number of trials.</summary>
    private int total_count;

    /// <summary>Creates a multinomial distribution from a number of trials and weights or their logarithms.</summary>
    /// <param name="total_count">The number of trials.</param>
    /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
    /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
    public Multinomial(int total_count, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(total_count, new Categorical(probs, logits, generator), generator)
    {
    }

    private Multinomial(int total_count, Categorical categorical, Generator generator) : base(generator)
    {
        this.total_count = total_count;
        this.categorical = Own(categorical);
        Keep(categorical.batch_shape, categorical.param_shape[^1..]);
    }

    /// <summary>Gets the probabilities of the categories of this <c>Multinomial</c>.</summary>
    public Tensor probs => categorical.probs;

    /// <summary>Gets the logarithms of the probabilities of this <c>Multinomial</c>'s categories.</summary>
    public Tensor logits => categorical.logits;

    /// <summary>Gets the shape of <see cref="probs"/>: the batch shape, followed by the number of categories.</summary>
    public long[] param_shape => categorical.param_shape;

    /// <inheritdoc/>
    public override Tensor mean => probs * total_count;

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => total_count * probs * (1 - probs));

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() =>
    {
        var trials = categorical.sample([total_count, .. sample_shape]);
        var indices = trials.permute([.. Enumerable.Range(1, (int)trials.dim() - 1).Select(dim => (long)dim), 0]);
        var counts = zeros(ExtendedShape(sample_shape), ScalarType.Int64, probs.device);
        return counts.scatter_add_(-1, indices, indices.ones_like()).type_as(probs);
    });

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var both = broadcast_tensors(logits, value);
        var powers = both[0].masked_fill((both[1] == 0).logical_and(both[0] == double.NegativeInfinity), 0) * both[1];
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + powers.sum(-1);
    });

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() =>
    {
        var trials = tensor(total_count, probs.dtype, probs.device);
        using var counts = new Binomial(trials, probs);
        var support = counts.enumerate_support(false).narrow(0, 1, total_count);
        var term = (counts.log_prob(support).exp() * (support + 1).lgamma()).sum([0, -1]);
        return trials * categorical.entropy() - (trials + 1).lgamma() + term;
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new Multinomial(total_count, (Categorical)categorical.expand(batch_shape), generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        (categorical, total_count) = (((Multinomial)other).categorical, ((Multinomial)other).total_count);
    }
}
