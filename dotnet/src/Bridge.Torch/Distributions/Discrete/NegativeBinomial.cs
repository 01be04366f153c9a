#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The negative binomial distribution: the number of successes before a number of failures.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.negative_binomial.NegativeBinomial">
/// torch.distributions.NegativeBinomial</see>.
/// </remarks>
public class NegativeBinomial : distributions.Distribution
{
    private Gamma gamma;

    /// <summary>Creates a negative binomial distribution from numbers of failures and probabilities or logits.</summary>
    /// <param name="total_count">The numbers of failures, of a shape that broadcasts with the probabilities'.</param>
    /// <param name="p">The probabilities of success; null to compute them from the logits.</param>
    /// <param name="l">The log-odds of success; null to compute them from the probabilities.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>p</c> nor <c>l</c> is given.</exception>
    public NegativeBinomial(Tensor total_count, Tensor p = null, Tensor l = null, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(p, l, total_count.type_as(Either(p, l, both: true)));
    }

    /// <summary>Gets the probability of success of this <c>NegativeBinomial</c>.</summary>
    public Tensor probs => Probs(isBinary: true);

    /// <summary>Gets the log-odds of success of this <c>NegativeBinomial</c>.</summary>
    public Tensor logits => Logits(isBinary: true);

    private Tensor total_count => Parameter(2);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => total_count * logits.exp());

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => ((total_count - 1) * logits.exp()).floor().clamp(min: 0));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => mean / (-logits).sigmoid());

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() =>
    {
        gamma ??= Own(new Gamma(total_count, (-logits).exp(), generator));
        return gamma.rsample(sample_shape).poisson(generator);
    });

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var unnormalized = total_count * nn.functional.logsigmoid(-logits) + value * nn.functional.logsigmoid(logits);
        var normalizer = -(total_count + value).lgamma() + (1 + value).lgamma() + total_count.lgamma();
        return unnormalized - normalizer.masked_fill(total_count + value == 0, 0);
    });

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor entropy() => throw new NotImplementedException("NegativeBinomial has no entropy.");

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new NegativeBinomial(given[2], given[0], given[0] is null ? given[1] : null, generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        gamma = null;
    }
}
