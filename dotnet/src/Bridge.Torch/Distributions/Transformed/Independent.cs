#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>Another distribution, some of whose batch dimensions count as dimensions of an event.</summary>
public class Independent : distributions.Distribution
{
    private distributions.Distribution base_distribution;

    private int reinterpreted;

    public Independent(distributions.Distribution base_distribution, int reinterpreted_batch_ndims, Generator generator = null)
        : base(generator)
    {
        if (reinterpreted_batch_ndims > base_distribution.batch_shape.Length)
            throw new ArgumentException("The base distribution has too few batch dimensions.", nameof(reinterpreted_batch_ndims));
        (this.base_distribution, reinterpreted) = (Own(base_distribution), reinterpreted_batch_ndims);
        var batch = base_distribution.batch_shape.Shape;
        _init(new Size(batch[..^reinterpreted]), new Size([.. batch[^reinterpreted..], .. base_distribution.event_shape]));
    }

    public override Tensor mean => base_distribution.mean;

    public override Tensor mode => base_distribution.mode;

    public override Tensor variance => base_distribution.variance;

    public override Tensor sample(params long[] sample_shape) => base_distribution.sample(sample_shape);

    public override Tensor rsample(params long[] sample_shape) => base_distribution.rsample(sample_shape);

    public override Tensor log_prob(Tensor value) =>
        Scoped(() => Transform._sum_rightmost(base_distribution.log_prob(value), reinterpreted));

    public override Tensor entropy() => Scoped(() => Transform._sum_rightmost(base_distribution.entropy(), reinterpreted));

    public override Tensor enumerate_support(bool expand = true) => reinterpreted > 0
        ? throw new NotImplementedException("The support of an event of several dimensions is too large.")
        : base_distribution.enumerate_support(expand);

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
