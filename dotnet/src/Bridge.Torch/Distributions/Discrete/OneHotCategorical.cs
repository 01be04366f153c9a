#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The categorical distribution, whose samples are 1 at an index of the last dimension, and 0 elsewhere.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.one_hot_categorical.OneHotCategorical">
/// torch.distributions.OneHotCategorical</see>.
/// </remarks>
public class OneHotCategorical : distributions.Distribution
{
    private Categorical categorical;

    /// <summary>Creates a one-hot categorical distribution from weights or their logarithms.</summary>
    /// <param name="p">The weights of the categories, in the last dimension; null if logits are given.</param>
    /// <param name="l">The logarithms of the weights; used only if <c>p</c> is null.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>p</c> nor <c>l</c> is given, or they have no dimension.</exception>
    public OneHotCategorical(Tensor p = null, Tensor l = null, Generator generator = null)
        : this(new Categorical(p, l, generator), generator)
    {
    }

    private OneHotCategorical(Categorical categorical, Generator generator) : base(generator)
    {
        this.categorical = Own(categorical);
        Keep(categorical.batch_shape, categorical.param_shape[^1..]);
    }

    /// <summary>Gets the probabilities of the indices of this <c>OneHotCategorical</c>.</summary>
    public Tensor probs => categorical.probs;

    /// <summary>Gets the logarithms of the probabilities of this <c>OneHotCategorical</c>'s indices.</summary>
    public Tensor logits => categorical.logits;

    /// <inheritdoc/>
    public override Tensor mean => probs;

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => OneHot(probs.argmax(-1)));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => probs * (1 - probs));

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() => OneHot(categorical.sample(sample_shape)));

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() => categorical.log_prob(value.argmax(-1)));

    /// <inheritdoc/>
    public override Tensor entropy() => categorical.entropy();

    /// <inheritdoc/>
    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var count = event_shape[0];
        var values = eye(count, dtype: probs.dtype, device: probs.device).reshape([count, .. batch_shape.Select(_ => 1L), count]);
        return expand ? values.expand([count, .. batch_shape, count]) : values;
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new OneHotCategorical((Categorical)categorical.expand(batch_shape), generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        categorical = ((OneHotCategorical)other).categorical;
    }

    private Tensor OneHot(Tensor indices) => nn.functional.one_hot(indices, event_shape[0]).to(probs);
}
