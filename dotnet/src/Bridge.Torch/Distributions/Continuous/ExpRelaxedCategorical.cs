#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The distribution of the logarithms of the samples of a relaxed categorical distribution.</summary>
public class ExpRelaxedCategorical : distributions.Distribution
{
    private Categorical categorical;

    internal ExpRelaxedCategorical(Tensor temperature, Tensor probs = null, Tensor logits = null, Generator generator = null)
        : this(temperature, new Categorical(probs, logits, generator), generator)
    {
    }

    private ExpRelaxedCategorical(Tensor temperature, Categorical categorical, Generator generator) : base(generator)
    {
        this.categorical = Own(categorical);
        Keep(categorical.batch_shape, categorical.param_shape[^1..], temperature);
    }

    public Tensor probs => categorical.probs;

    public Tensor logits => categorical.logits;

    public Tensor temperature => Parameter(0);

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor mean => throw new NotImplementedException("ExpRelaxedCategorical has no mean.");

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor variance => throw new NotImplementedException("ExpRelaxedCategorical has no variance.");

    public long[] param_shape => categorical.param_shape;

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var uniforms = ClampProbs(rand(shape, logits.dtype, logits.device, generator: generator));
            var scores = (logits - (-uniforms.log()).log()) / temperature;
            return scores - scores.logsumexp(-1, keepdim: true);
        });
    }

    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var count = param_shape[^1];
        var score = logits - value * temperature;
        var scale = temperature.full_like(count).lgamma() + temperature.log() * (count - 1);
        return (score - score.logsumexp(-1, keepdim: true)).sum(-1) + scale;
    });

    /// <exception cref="NotImplementedException">Always: PyTorch has none either.</exception>
    public override Tensor entropy() => throw new NotImplementedException("ExpRelaxedCategorical has no entropy.");

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new ExpRelaxedCategorical(temperature, (Categorical)categorical.expand(batch_shape), generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        categorical = ((ExpRelaxedCategorical)other).categorical;
    }
}
