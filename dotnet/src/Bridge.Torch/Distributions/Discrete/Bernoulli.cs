#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Bernoulli distribution: 1 with a probability, else 0.</summary>
public class Bernoulli : distributions.Distribution
{
    public Bernoulli(Tensor p = null, Tensor l = null, Generator generator = null) : base(generator) =>
        Keep(Either(p, l).shape, [], p, l);

    public Tensor probs => Probs(isBinary: true);

    public Tensor logits => Logits(isBinary: true);

    public override Tensor mean => probs;

    public override Tensor mode => Scoped(() => (probs >= 0.5).to_type(probs.dtype).masked_fill(probs == 0.5, double.NaN));

    public override Tensor variance => Scoped(() => probs * (1 - probs));

    public override Tensor rsample(params long[] sample_shape) =>
        Scoped(() => bernoulli(probs.expand(ExtendedShape(sample_shape)), generator));

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var both = broadcast_tensors(logits, value);
        return -nn.functional.binary_cross_entropy_with_logits(both[0], both[1], reduction: nn.Reduction.None);
    });

    public override Tensor entropy() =>
        nn.functional.binary_cross_entropy_with_logits(logits, probs, reduction: nn.Reduction.None);

    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var values = arange(2, probs.dtype, probs.device).reshape([2, .. batch_shape.Select(_ => 1L)]);
        return expand ? values.expand([2, .. batch_shape]) : values;
    });

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Bernoulli(given[0], given[0] is null ? given[1] : null, generator));
}
