#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The categorical distribution. Its samples are indices into the last dimension of its probabilities.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.categorical.Categorical">
/// torch.distributions.Categorical</see>.
/// </remarks>
public class Categorical : distributions.Distribution
{
    /// <summary>Creates a categorical distribution from weights or their logarithms, which it normalizes.</summary>
    /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
    /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
    public Categorical(Tensor probs = null, Tensor logits = null, Generator generator = null) : base(generator)
    {
        var given = Either(probs, logits, both: true);
        if (given.dim() < 1) throw new ArgumentException("'probs' or 'logits' must have at least one dimension.");
        using var scope = NewDisposeScope();
        Keep(given.shape[..^1], [], probs is null ? null : probs / probs.sum(-1, keepdim: true),
            probs is null ? logits - logits.logsumexp(-1, keepdim: true) : null);
    }

    private Categorical(Tensor[] normalized, Generator generator) : base(generator) =>
        Keep((normalized[0] ?? normalized[1]).shape[..^1], [], normalized);

    /// <summary>Gets the probabilities of the indices of this <c>Categorical</c>.</summary>
    public Tensor probs => Probs(isBinary: false);

    /// <summary>Gets the logarithms of the probabilities of this <c>Categorical</c>'s indices.</summary>
    public Tensor logits => Logits(isBinary: false);

    /// <summary>Gets the shape of <see cref="probs"/>: the batch shape, followed by the number of categories.</summary>
    public long[] param_shape => (Parameter(0) ?? Parameter(1)).shape;

    /// <inheritdoc/>
    /// <remarks>NaN, because the indices are labels of categories, not quantities.</remarks>
    public override Tensor mean => Undefined();

    /// <inheritdoc/>
    public override Tensor mode => probs.argmax(-1);

    /// <inheritdoc/>
    /// <remarks>NaN, as the mean is.</remarks>
    public override Tensor variance => Undefined();

    /// <inheritdoc/>
    /// <remarks>As the distribution is discrete, gradients through its samples are zero or absent.</remarks>
    public override Tensor rsample(params long[] sample_shape)
    {
        var count = sample_shape.Aggregate(1L, (product, size) => product * size);
        return Scoped(() =>
            probs.reshape(-1, param_shape[^1]).multinomial(count, true, generator).t().reshape(ExtendedShape(sample_shape)));
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var both = broadcast_tensors(value.to_type(ScalarType.Int64).unsqueeze(-1), logits);
        return both[1].gather(-1, both[0].narrow(-1, 0, 1)).squeeze(-1);
    });

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => -(logits.clamp(min: finfo(logits.dtype).min) * probs).sum(-1));

    /// <inheritdoc/>
    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var values = arange(param_shape[^1], ScalarType.Int64, probs.device).reshape([-1, .. batch_shape.Select(_ => 1L)]);
        return expand ? values.expand([-1, .. batch_shape]) : values;
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Categorical(given, generator));

    private Tensor Undefined() => full(batch_shape.Shape, double.NaN, probs.dtype, probs.device);
}
