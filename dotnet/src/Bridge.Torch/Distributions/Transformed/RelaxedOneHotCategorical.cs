#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>
/// A continuous distribution of vectors whose sum is 1. At a low temperature, it is nearly a one-hot categorical distribution.
/// </summary>
public class RelaxedOneHotCategorical : TransformedDistribution
{
    public RelaxedOneHotCategorical(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(new ExpRelaxedCategorical(temperature, probs, logits, generator), generator)
    {
    }

    private RelaxedOneHotCategorical(ExpRelaxedCategorical relaxed, Generator generator) : base(generator) =>
        _init(relaxed, [new ExpTransform()]);

    private ExpRelaxedCategorical Relaxed => (ExpRelaxedCategorical)base_distribution;

    public Tensor probs => Relaxed.probs;

    public Tensor logits => Relaxed.logits;

    public Tensor temperature => Relaxed.temperature;

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new RelaxedOneHotCategorical((ExpRelaxedCategorical)Relaxed.expand(batch_shape), generator));
}
