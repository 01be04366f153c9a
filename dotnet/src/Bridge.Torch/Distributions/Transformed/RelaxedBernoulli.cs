#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>A continuous distribution on (0, 1) that is nearly a Bernoulli distribution at a low temperature.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.relaxed_bernoulli.RelaxedBernoulli">
/// torch.distributions.RelaxedBernoulli</see>.
/// </remarks>
public class RelaxedBernoulli : TransformedDistribution
{
    /// <summary>Creates a relaxed Bernoulli distribution from a temperature and probabilities or logits.</summary>
    /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
    /// <param name="probs">The probabilities of 1, of any shape; null if the logits are given.</param>
    /// <param name="logits">The log-odds of 1, of any shape; null if the probabilities are given.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
    public RelaxedBernoulli(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(new LogitRelaxedBernoulli(temperature, probs, logits, generator), generator)
    {
    }

    private RelaxedBernoulli(LogitRelaxedBernoulli relaxed, Generator generator) : base(generator) =>
        _init(relaxed, [new SigmoidTransform()]);

    private LogitRelaxedBernoulli Relaxed => (LogitRelaxedBernoulli)base_distribution;

    /// <summary>Gets the probability of 1 of the Bernoulli distribution that this <c>RelaxedBernoulli</c> relaxes.</summary>
    public Tensor probs => Relaxed.probs;

    /// <summary>Gets the log-odds of 1 of the Bernoulli distribution that this <c>RelaxedBernoulli</c> relaxes.</summary>
    public Tensor logits => Relaxed.logits;

    /// <summary>Gets the temperature of this <c>RelaxedBernoulli</c>: the lower, the nearer its samples are to 0 or 1.</summary>
    public Tensor temperature => Relaxed.temperature;

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new RelaxedBernoulli((LogitRelaxedBernoulli)Relaxed.expand(batch_shape), generator));
}
