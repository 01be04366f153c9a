#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The binomial distribution: the number of successes in a number of trials.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.binomial.Binomial">
/// torch.distributions.Binomial</see>.
/// </remarks>
public class Binomial : distributions.Distribution
{
    /// <summary>Creates a binomial distribution from numbers of trials and probabilities or logits.</summary>
    /// <param name="total_count">The numbers of trials, of a shape that broadcasts with the probabilities'.</param>
    /// <param name="p">The probabilities of success; null to compute them from the logits.</param>
    /// <param name="l">The log-odds of success; null to compute them from the probabilities.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>p</c> nor <c>l</c> is given.</exception>
    public Binomial(Tensor total_count, Tensor p = null, Tensor l = null, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(p, l, total_count.type_as(Either(p, l, both: true)));
    }

    /// <summary>Gets the probability of success of this <c>Binomial</c>.</summary>
    public Tensor probs => Probs(isBinary: true);

    /// <summary>Gets the log-odds of success of this <c>Binomial</c>.</summary>
    public Tensor logits => Logits(isBinary: true);

    private Tensor total_count => Parameter(2);

    /// <inheritdoc/>
    public override Tensor mean => total_count * probs;

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => ((total_count + 1) * probs).floor().clamp(max: total_count));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => total_count * probs * (1 - probs));

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => binomial(total_count.expand(shape), probs.expand(shape), generator));
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var normalizer = total_count * ClampByZero(logits) + total_count * (-logits.abs()).exp().log1p() - (total_count + 1).lgamma();
        return value * logits - (value + 1).lgamma() - (total_count - value + 1).lgamma() - normalizer;
    });

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">The numbers of trials differ.</exception>
    public override Tensor entropy() => Scoped(() =>
    {
        var log_probs = log_prob(enumerate_support(false));
        return -(log_probs.exp() * log_probs).sum([0]);
    });

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">The numbers of trials differ.</exception>
    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var most = total_count.max();
        if (!(total_count.min() == most).item<bool>())
            throw new NotImplementedException("The distribution has one support only if all numbers of trials are the same.");
        var values = arange(1 + most.ToInt64(), probs.dtype, probs.device).reshape([-1, .. batch_shape.Select(_ => 1L)]);
        return expand ? values.expand([-1, .. batch_shape]) : values;
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Binomial(given[2], given[0], given[0] is null ? given[1] : null, generator));
}
