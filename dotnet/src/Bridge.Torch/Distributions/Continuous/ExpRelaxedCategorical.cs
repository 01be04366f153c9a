#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The distribution of the logarithms of the samples of a relaxed categorical distribution.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/_modules/torch/distributions/relaxed_categorical.html">
/// torch.distributions.relaxed_categorical.ExpRelaxedCategorical</see>.
/// </remarks>
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

    /// <summary>Gets the probabilities of the categorical distribution that this <c>ExpRelaxedCategorical</c> relaxes.</summary>
    public Tensor probs => categorical.probs;

    /// <summary>Gets the logits of the categorical distribution that this <c>ExpRelaxedCategorical</c> relaxes.</summary>
    public Tensor logits => categorical.logits;

    /// <summary>Gets the temperature of this <c>ExpRelaxedCategorical</c>.</summary>
    public Tensor temperature => Parameter(0);

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor mean => throw new NotImplementedException("ExpRelaxedCategorical has no mean.");

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor variance => throw new NotImplementedException("ExpRelaxedCategorical has no variance.");

    /// <summary>Gets the shape of <see cref="probs"/>: the batch shape, followed by the number of categories.</summary>
    public long[] param_shape => categorical.param_shape;

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var count = param_shape[^1];
        var score = logits - value * temperature;
        var scale = temperature.full_like(count).lgamma() + temperature.log() * (count - 1);
        return (score - score.logsumexp(-1, keepdim: true)).sum(-1) + scale;
    });

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor entropy() => throw new NotImplementedException("ExpRelaxedCategorical has no entropy.");

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Filled(instance, new ExpRelaxedCategorical(temperature, (Categorical)categorical.expand(batch_shape), generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        categorical = ((ExpRelaxedCategorical)other).categorical;
    }
}
