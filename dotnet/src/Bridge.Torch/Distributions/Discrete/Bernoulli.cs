#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Bernoulli distribution: 1 with a probability, else 0.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.bernoulli.Bernoulli">
/// torch.distributions.Bernoulli</see>.
/// </remarks>
public class Bernoulli : distributions.Distribution
{
    /// <summary>Creates a Bernoulli distribution from probabilities or logits.</summary>
    /// <param name="p">The probabilities of 1, of any shape; null if the logits are given.</param>
    /// <param name="l">The log-odds of 1, of any shape; null if the probabilities are given.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Both or neither of <c>p</c> and <c>l</c> are given.</exception>
    public Bernoulli(Tensor p = null, Tensor l = null, Generator generator = null) : base(generator) =>
        Keep(Either(p, l).shape, [], p, l);

    /// <summary>Gets the probability of 1 of this <c>Bernoulli</c>.</summary>
    public Tensor probs => Probs(isBinary: true);

    /// <summary>Gets the log-odds of 1 of this <c>Bernoulli</c>.</summary>
    public Tensor logits => Logits(isBinary: true);

    /// <inheritdoc/>
    public override Tensor mean => probs;

    /// <inheritdoc/>
    /// <remarks>NaN where the probability is 1/2: both values are modes.</remarks>
    public override Tensor mode => Scoped(() => (probs >= 0.5).to_type(probs.dtype).masked_fill(probs == 0.5, double.NaN));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => probs * (1 - probs));

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape) =>
        Scoped(() => bernoulli(probs.expand(ExtendedShape(sample_shape)), generator));

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var both = broadcast_tensors(logits, value);
        return -nn.functional.binary_cross_entropy_with_logits(both[0], both[1], reduction: nn.Reduction.None);
    });

    /// <inheritdoc/>
    public override Tensor entropy() =>
        nn.functional.binary_cross_entropy_with_logits(logits, probs, reduction: nn.Reduction.None);

    /// <inheritdoc/>
    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var values = arange(2, probs.dtype, probs.device).reshape([2, .. batch_shape.Select(_ => 1L)]);
        return expand ? values.expand([2, .. batch_shape]) : values;
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Bernoulli(given[0], given[0] is null ? given[1] : null, generator));
}
