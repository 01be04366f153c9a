#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The categorical distribution, whose samples are 1 at an index of the last dimension, and 0 elsewhere.</summary>
public class OneHotCategorical : distributions.Distribution
{
    private Categorical categorical;

    public OneHotCategorical(Tensor p = null, Tensor l = null, Generator generator = null)
        : this(new Categorical(p, l, generator), generator)
    {
    }

    private OneHotCategorical(Categorical categorical, Generator generator) : base(generator)
    {
        this.categorical = Own(categorical);
        Keep(categorical.batch_shape, categorical.param_shape[^1..]);
    }

    public Tensor probs => categorical.probs;

    public Tensor logits => categorical.logits;

    public override Tensor mean => probs;

    public override Tensor mode => Scoped(() => OneHot(probs.argmax(-1)));

    public override Tensor variance => Scoped(() => probs * (1 - probs));

    public override Tensor rsample(params long[] sample_shape) => Scoped(() => OneHot(categorical.sample(sample_shape)));

    public override Tensor log_prob(Tensor value) => Scoped(() => categorical.log_prob(value.argmax(-1)));

    public override Tensor entropy() => categorical.entropy();

    public override Tensor enumerate_support(bool expand = true) => Scoped(() =>
    {
        var count = event_shape[0];
        var values = eye(count, dtype: probs.dtype, device: probs.device).reshape([count, .. batch_shape.Select(_ => 1L), count]);
        return expand ? values.expand([count, .. batch_shape, count]) : values;
    });

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new OneHotCategorical((Categorical)categorical.expand(batch_shape), generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        categorical = ((OneHotCategorical)other).categorical;
    }

    private Tensor OneHot(Tensor indices) => nn.functional.one_hot(indices, event_shape[0]).to(probs);
}
