#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The normal distribution with a mean and a standard deviation.</summary>
public class Normal : distributions.Distribution
{
    public Normal(Tensor loc, Tensor scale, Generator generator = null) : base(generator) => Broadcast(loc, scale);

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    public override Tensor mean => loc;

    public override Tensor mode => loc;

    public override Tensor stddev => scale;

    public override Tensor variance => scale.pow(2);

    public override Tensor sample(params long[] sample_shape)
    {
        using var off = no_grad();
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => normal(loc.expand(shape), scale.expand(shape), generator));
    }

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => loc + empty(shape, loc.dtype, loc.device).normal_(0, 1, generator) * scale);
    }

    public override Tensor log_prob(Tensor value) =>
        Scoped(() => -(value - loc).pow(2) / (2 * scale.pow(2)) - scale.log() - Math.Log(Math.Sqrt(2 * Math.PI)));

    public override Tensor entropy() => Scoped(() => 0.5 + 0.5 * Math.Log(2 * Math.PI) + scale.log());

    public override Tensor cdf(Tensor value) =>
        Scoped(() => 0.5 * (1 + ((value - loc) * scale.reciprocal() / Math.Sqrt(2)).erf()));

    public override Tensor icdf(Tensor value) => Scoped(() => loc + scale * (2 * value - 1).erfinv() * Math.Sqrt(2));

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Normal(given[0], given[1], generator));
}
