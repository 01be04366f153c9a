#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>
/// A continuous distribution of vectors whose sum is 1. At a low temperature, it is nearly a one-hot categorical distribution.
/// </summary>
/// <remarks>
/// PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.relaxed_categorical.RelaxedOneHotCategorical">
/// torch.distributions.RelaxedOneHotCategorical</see>.
/// </remarks>
public class RelaxedOneHotCategorical : TransformedDistribution
{
    /// <summary>Creates a relaxed one-hot categorical distribution from a temperature and weights or their logarithms.</summary>
    /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
    /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
    /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
    public RelaxedOneHotCategorical(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(new ExpRelaxedCategorical(temperature, probs, logits, generator), generator)
    {
    }

    private RelaxedOneHotCategorical(ExpRelaxedCategorical relaxed, Generator generator) : base(generator) =>
        _init(relaxed, [new ExpTransform()]);

    private ExpRelaxedCategorical Relaxed => (ExpRelaxedCategorical)base_distribution;

    /// <summary>Gets the probabilities of the categorical distribution that this <c>RelaxedOneHotCategorical</c> relaxes.</summary>
    public Tensor probs => Relaxed.probs;

    /// <summary>Gets the logits of the categorical distribution that this <c>RelaxedOneHotCategorical</c> relaxes.</summary>
    public Tensor logits => Relaxed.logits;

    /// <summary>Gets the temperature of this <c>RelaxedOneHotCategorical</c>: the lower, the nearer its samples are to one-hot.</summary>
    public Tensor temperature => Relaxed.temperature;

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new RelaxedOneHotCategorical((ExpRelaxedCategorical)Relaxed.expand(batch_shape), generator));
}
