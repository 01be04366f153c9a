#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>A continuous distribution on (0, 1) that is nearly a Bernoulli distribution at a low temperature.</summary>
public class RelaxedBernoulli : TransformedDistribution
{
    public RelaxedBernoulli(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(new LogitRelaxedBernoulli(temperature, probs, logits, generator), generator)
    {
    }

    private RelaxedBernoulli(LogitRelaxedBernoulli relaxed, Generator generator) : base(generator) =>
        _init(relaxed, [new SigmoidTransform()]);

    private LogitRelaxedBernoulli Relaxed => (LogitRelaxedBernoulli)base_distribution;

    public Tensor probs => Relaxed.probs;

    public Tensor logits => Relaxed.logits;

    public Tensor temperature => Relaxed.temperature;

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new RelaxedBernoulli((LogitRelaxedBernoulli)Relaxed.expand(batch_shape), generator));
}
