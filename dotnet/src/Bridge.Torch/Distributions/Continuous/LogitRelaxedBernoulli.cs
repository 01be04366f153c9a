#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The distribution of the logits of the samples of a relaxed Bernoulli distribution.</summary>
public class LogitRelaxedBernoulli : distributions.Distribution
{
    public LogitRelaxedBernoulli(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : base(generator) =>
        Keep(Either(probs, logits).shape, [], probs, logits, temperature);

    public Tensor probs => Probs(isBinary: true);

    public Tensor logits => Logits(isBinary: true);

    internal Tensor temperature => Parameter(2);

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor mean => throw new NotImplementedException("LogitRelaxedBernoulli has no mean.");

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor variance => throw new NotImplementedException("LogitRelaxedBernoulli has no variance.");

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

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var diff = logits - value * temperature;
        return temperature.log() + diff - 2 * diff.exp().log1p();
    });

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor entropy() => throw new NotImplementedException("LogitRelaxedBernoulli has no entropy.");

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null)
    {
        using var scope = NewDisposeScope();
        var odds = (Parameter(0) ?? Parameter(1)).expand(batch_shape.Shape);
        return Filled(instance, Parameter(0) is null
            ? new LogitRelaxedBernoulli(temperature, null, odds, generator)
            : new LogitRelaxedBernoulli(temperature, odds, null, generator));
    }
}
