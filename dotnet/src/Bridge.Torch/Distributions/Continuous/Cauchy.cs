#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Cauchy distribution with a median, and half of the width at half of the maximum as its scale.</summary>
public class Cauchy : distributions.Distribution
{
    public Cauchy(Tensor loc, Tensor scale, Generator generator = null) : base(generator) => Broadcast(loc, scale);

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    public override Tensor mode => loc;

    public override Tensor mean => loc.full_like(double.NaN);

    public override Tensor variance => loc.full_like(double.PositiveInfinity);

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => loc + empty(shape, loc.dtype, loc.device).cauchy_(0, 1, generator) * scale);
    }

    public override Tensor log_prob(Tensor value) =>
        Scoped(() => -Math.Log(Math.PI) - scale.log() - ((value - loc) / scale).pow(2).log1p());

    public override Tensor entropy() => Scoped(() => Math.Log(4 * Math.PI) + scale.log());

    public override Tensor cdf(Tensor value) => Scoped(() => ((value - loc) / scale).atan() / Math.PI + 0.5);

    public override Tensor icdf(Tensor value) => Scoped(() => (Math.PI * (value - 0.5)).tan() * scale + loc);

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Cauchy(given[0], given[1], generator));
}
