#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The geometric distribution: the number of failures before the first success.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.geometric.Geometric">
/// torch.distributions.Geometric</see>.
/// </remarks>
public class Geometric : distributions.Distribution
{
    /// <summary>Creates a geometric distribution from probabilities or logits.</summary>
    /// <param name="probs">The probabilities of success; null to compute them from the logits.</param>
    /// <param name="logits">The log-odds of success; null to compute them from the probabilities.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
    public Geometric(Tensor probs = null, Tensor logits = null, Generator generator = null) : base(generator) =>
        Keep(Either(probs, logits, both: true).shape, [], probs, logits);

    /// <summary>Gets the probability of success of each trial of this <c>Geometric</c>.</summary>
    public Tensor probs => Probs(isBinary: true);

    /// <summary>Gets the log-odds of success of each trial of this <c>Geometric</c>.</summary>
    public Tensor logits => Logits(isBinary: true);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => 1 / probs - 1);

    /// <inheritdoc/>
    public override Tensor mode => probs.zeros_like();

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => (1 / probs - 1) / probs);

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var u = empty(shape, probs.dtype, probs.device).uniform_(finfo(probs.dtype).tiny, 1, generator);
            return (u.log() / (-probs).log1p()).floor();
        });
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var failure = probs.masked_fill((probs == 1).logical_and(value == 0), 0);
        return value * (-failure).log1p() + probs.log();
    });

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() =>
        nn.functional.binary_cross_entropy_with_logits(logits, probs, reduction: nn.Reduction.None) / probs);

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Geometric(given[0], given[0] is null ? given[1] : null, generator));
}
