#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The distribution of the logits of the samples of a relaxed Bernoulli distribution.</summary>
/// <remarks>
/// PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli">
/// torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli</see>.
/// </remarks>
public class LogitRelaxedBernoulli : distributions.Distribution
{
    /// <summary>Creates a distribution of the logits of a relaxed Bernoulli distribution's samples.</summary>
    /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
    /// <param name="probs">The probabilities of 1, of any shape; null if the logits are given.</param>
    /// <param name="logits">The log-odds of 1, of any shape; null if the probabilities are given.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
    public LogitRelaxedBernoulli(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : base(generator) =>
        Keep(Either(probs, logits).shape, [], probs, logits, temperature);

    /// <summary>Gets the probability of 1 of the Bernoulli distribution that this <c>LogitRelaxedBernoulli</c> relaxes.</summary>
    public Tensor probs => Probs(isBinary: true);

    /// <summary>Gets the log-odds of 1 of the Bernoulli distribution that this <c>LogitRelaxedBernoulli</c> relaxes.</summary>
    public Tensor logits => Logits(isBinary: true);

    internal Tensor temperature => Parameter(2);

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor mean => throw new NotImplementedException("LogitRelaxedBernoulli has no mean.");

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor variance => throw new NotImplementedException("LogitRelaxedBernoulli has no variance.");

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var odds = ClampProbs(probs.expand(shape));
            var uniforms = ClampProbs(rand(shape, odds.dtype, odds.device, generator: generator));
            return (uniforms.log() - (-uniforms).log1p() + odds.log() - (-odds).log1p()) / temperature;
        });
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var diff = logits - value * temperature;
        return temperature.log() + diff - 2 * diff.exp().log1p();
    });

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor entropy() => throw new NotImplementedException("LogitRelaxedBernoulli has no entropy.");

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null)
    {
        using var scope = NewDisposeScope();
        var odds = (Parameter(0) ?? Parameter(1)).expand(batch_shape.Shape);
        return Filled(instance, Parameter(0) is null
            ? new LogitRelaxedBernoulli(temperature, null, odds, generator)
            : new LogitRelaxedBernoulli(temperature, odds, null, generator));
    }
}
