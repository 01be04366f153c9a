#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The uniform distribution on [low, high).</summary>
public class Uniform : distributions.Distribution
{
    public Uniform(Tensor low, Tensor high, Generator generator = null) : base(generator) => Broadcast(low, high);

    private Tensor low => Parameter(0);

    private Tensor high => Parameter(1);

    public override Tensor mean => Scoped(() => (high + low) / 2);

    public override Tensor mode => high * double.NaN;

    public override Tensor stddev => Scoped(() => (high - low) / Math.Sqrt(12));

    public override Tensor variance => Scoped(() => (high - low).pow(2) / 12);

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() => low + rand(shape, low.dtype, low.device, generator: generator) * (high - low));
    }

    public override Tensor log_prob(Tensor value) => Scoped(() =>
        (low.le(value).type_as(low) * high.gt(value).type_as(low)).log() - (high - low).log());

    public override Tensor cdf(Tensor value) => Scoped(() => ((value - low) / (high - low)).clamp(0, 1));

    public override Tensor icdf(Tensor value) => Scoped(() => value * (high - low) + low);

    public override Tensor entropy() => Scoped(() => (high - low).log());

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Uniform(given[0], given[1], generator));
}
