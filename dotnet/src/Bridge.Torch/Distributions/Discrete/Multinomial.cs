#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The multinomial distribution: how often each category comes up in a number of trials.</summary>
public class Multinomial : distributions.Distribution
{
    private Categorical categorical;

    /// <summary>The number of trials.</summary>
    private int total_count;

    public Multinomial(int total_count, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(total_count, new Categorical(probs, logits, generator), generator)
    {
    }

    private Multinomial(int total_count, Categorical categorical, Generator generator) : base(generator)
    {
        this.total_count = total_count;
        this.categorical = Own(categorical);
        Keep(categorical.batch_shape, categorical.param_shape[^1..]);
    }

    public Tensor probs => categorical.probs;

    public Tensor logits => categorical.logits;

    public long[] param_shape => categorical.param_shape;

    public override Tensor mean => probs * total_count;

    public override Tensor variance => Scoped(() => total_count * probs * (1 - probs));

    public override Tensor rsample(params long[] sample_shape) => Scoped(() =>
    {
        var trials = categorical.sample([total_count, .. sample_shape]);
        var indices = trials.permute([.. Enumerable.Range(1, (int)trials.dim() - 1).Select(dim => (long)dim), 0]);
        var counts = zeros(ExtendedShape(sample_shape), ScalarType.Int64, probs.device);
        return counts.scatter_add_(-1, indices, indices.ones_like()).type_as(probs);
    });

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var both = broadcast_tensors(logits, value);
        var powers = both[0].masked_fill((both[1] == 0).logical_and(both[0] == double.NegativeInfinity), 0) * both[1];
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + powers.sum(-1);
    });

    public override Tensor entropy() => Scoped(() =>
    {
        var trials = tensor(total_count, probs.dtype, probs.device);
        using var counts = new Binomial(trials, probs);
        var support = counts.enumerate_support(false).narrow(0, 1, total_count);
        var term = (counts.log_prob(support).exp() * (support + 1).lgamma()).sum([0, -1]);
        return trials * categorical.entropy() - (trials + 1).lgamma() + term;
    });

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new Multinomial(total_count, (Categorical)categorical.expand(batch_shape), generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        (categorical, total_count) = (((Multinomial)other).categorical, ((Multinomial)other).total_count);
    }
}
