#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The categorical distribution: an index into the last dimension of its probabilities.</summary>
public class Categorical : distributions.Distribution
{
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

    public Tensor probs => Probs(isBinary: false);

    public Tensor logits => Logits(isBinary: false);

    public long[] param_shape => (Parameter(0) ?? Parameter(1)).shape;

    public override Tensor mean => Undefined();

    public override Tensor mode => probs.argmax(-1);

    public override Tensor variance => Undefined();

    public override Tensor rsample(params long[] sample_shape)
    {
        var count = sample_shape.Aggregate(1L, (product, size) => product * size);
        return Scoped(() =>
            probs.reshape(-1, param_shape[^1]).multinomial(count, true, generator).t().reshape(ExtendedShape(sample_shape)));
    }

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var both = broadcast_tensors(value.to_type(ScalarType.Int64).unsqueeze(-1), logits);
        return both[1].gather(-1, both[0].narrow(-1, 0, 1)).squeeze(-1);
    });

    public override Tensor entropy() => Scoped(() => -(logits.clamp(min: finfo(logits.dtype).min) * probs).sum(-1));

    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var values = arange(param_shape[^1], ScalarType.Int64, probs.device).reshape([-1, .. batch_shape.Select(_ => 1L)]);
        return expand ? values.expand([-1, .. batch_shape]) : values;
    });

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Categorical(given, generator));

    private Tensor Undefined() => full(batch_shape.Shape, double.NaN, probs.dtype, probs.device);
}
