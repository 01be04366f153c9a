#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The negative binomial distribution: the number of successes before a number of failures.</summary>
public class NegativeBinomial : distributions.Distribution
{
    private Gamma gamma;

    public NegativeBinomial(Tensor total_count, Tensor p = null, Tensor l = null, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(p, l, total_count.type_as(Either(p, l, both: true)));
    }

    public Tensor probs => Probs(isBinary: true);

    public Tensor logits => Logits(isBinary: true);

    private Tensor total_count => Parameter(2);

    public override Tensor mean => Scoped(() => total_count * logits.exp());

    public override Tensor mode => Scoped(() => ((total_count - 1) * logits.exp()).floor().clamp(min: 0));

    public override Tensor variance => Scoped(() => mean / (-logits).sigmoid());

    public override Tensor rsample(params long[] sample_shape) => Scoped(() =>
    {
        gamma ??= Own(new Gamma(total_count, (-logits).exp(), generator));
        return gamma.rsample(sample_shape).poisson(generator);
    });

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var unnormalized = total_count * nn.functional.logsigmoid(-logits) + value * nn.functional.logsigmoid(logits);
        var normalizer = -(total_count + value).lgamma() + (1 + value).lgamma() + total_count.lgamma();
        return unnormalized - normalizer.masked_fill(total_count + value == 0, 0);
    });

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor entropy() => throw new NotImplementedException("NegativeBinomial has no entropy.");

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new NegativeBinomial(given[2], given[0], given[0] is null ? given[1] : null, generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        gamma = null;
    }
}
