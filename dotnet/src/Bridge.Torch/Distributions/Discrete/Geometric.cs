#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The geometric distribution: the number of failures before the first success.</summary>
public class Geometric : distributions.Distribution
{
    public Geometric(Tensor probs = null, Tensor logits = null, Generator generator = null) : base(generator) =>
        Keep(Either(probs, logits, both: true).shape, [], probs, logits);

    public Tensor probs => Probs(isBinary: true);

    public Tensor logits => Logits(isBinary: true);

    public override Tensor mean => Scoped(() => 1 / probs - 1);

    public override Tensor mode => probs.zeros_like();

    public override Tensor variance => Scoped(() => (1 / probs - 1) / probs);

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var u = empty(shape, probs.dtype, probs.device).uniform_(finfo(probs.dtype).tiny, 1, generator);
            return (u.log() / (-probs).log1p()).floor();
        });
    }

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var failure = probs.masked_fill((probs == 1).logical_and(value == 0), 0);
        return value * (-failure).log1p() + probs.log();
    });

    public override Tensor entropy() => Scoped(() =>
        nn.functional.binary_cross_entropy_with_logits(logits, probs, reduction: nn.Reduction.None) / probs);

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Geometric(given[0], given[0] is null ? given[1] : null, generator));
}
