#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>A distribution that counts some batch dimensions of another distribution as dimensions of an event.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.independent.Independent">
/// torch.distributions.Independent</see>.
/// </remarks>
public class Independent : distributions.Distribution
{
    private distributions.Distribution base_distribution;

    private int reinterpreted;

    /// <summary>Creates a distribution that counts batch dimensions of another distribution as dimensions of an event.</summary>
    /// <param name="base_distribution">The other distribution, which is disposed with this one.</param>
    /// <param name="reinterpreted_batch_ndims">The number of the last batch dimensions that count as event dimensions.</param>
    /// <param name="generator">Has no effect: the base distribution draws the samples.</param>
    /// <exception cref="ArgumentException">The other distribution has fewer batch dimensions.</exception>
    public Independent(distributions.Distribution base_distribution, int reinterpreted_batch_ndims, Generator generator = null)
        : base(generator)
    {
        if (reinterpreted_batch_ndims > base_distribution.batch_shape.Length)
            throw new ArgumentException("The base distribution has too few batch dimensions.", nameof(reinterpreted_batch_ndims));
        (this.base_distribution, reinterpreted) = (Own(base_distribution), reinterpreted_batch_ndims);
        var batch = base_distribution.batch_shape.Shape;
        _init(new Size(batch[..^reinterpreted]), new Size([.. batch[^reinterpreted..], .. base_distribution.event_shape]));
    }

    /// <inheritdoc/>
    public override Tensor mean => base_distribution.mean;

    /// <inheritdoc/>
    public override Tensor mode => base_distribution.mode;

    /// <inheritdoc/>
    public override Tensor variance => base_distribution.variance;

    /// <inheritdoc/>
    public override Tensor sample(params long[] sample_shape) => base_distribution.sample(sample_shape);

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape) => base_distribution.rsample(sample_shape);

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) =>
        Scoped(() => Transform._sum_rightmost(base_distribution.log_prob(value), reinterpreted));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => Transform._sum_rightmost(base_distribution.entropy(), reinterpreted));

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">At least one batch dimension counts as a dimension of an event.</exception>
    public override Tensor enumerate_support(bool expand = true) => reinterpreted > 0
        ? throw new NotImplementedException("The support of an event of several dimensions is too large.")
        : base_distribution.enumerate_support(expand);

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null)
    {
        var expanded = base_distribution.expand(new Size([.. batch_shape, .. event_shape.Take(reinterpreted)]));
        return Filled(instance, new Independent(expanded, reinterpreted, generator));
    }

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        (base_distribution, reinterpreted) = (((Independent)other).base_distribution, ((Independent)other).reinterpreted);
    }
}
