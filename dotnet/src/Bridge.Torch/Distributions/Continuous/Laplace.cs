#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Laplace distribution with a mean and a scale.</summary>
public class Laplace : distributions.Distribution
{
    public Laplace(Tensor loc, Tensor scale, Generator generator = null) : base(generator) => Broadcast(loc, scale);

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    public override Tensor mean => loc;

    public override Tensor mode => loc;

    public override Tensor variance => Scoped(() => 2 * scale.pow(2));

    public override Tensor stddev => Math.Sqrt(2) * scale;

    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var u = empty(shape, loc.dtype, loc.device).uniform_(finfo(loc.dtype).eps - 1, 1, generator);
            return loc - scale * u.sign() * (-u.abs()).log1p();
        });
    }

    public override Tensor log_prob(Tensor value) => Scoped(() => -(2 * scale).log() - (value - loc).abs() / scale);

    public override Tensor entropy() => Scoped(() => 1 + (2 * scale).log());

    public override Tensor cdf(Tensor value) =>
        Scoped(() => 0.5 - 0.5 * (value - loc).sign() * (-(value - loc).abs() / scale).expm1());

    public override Tensor icdf(Tensor value) => Scoped(() =>
    {
        var term = value - 0.5;
        return loc - scale * term.sign() * (-2 * term.abs()).log1p();
    });

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Laplace(given[0], given[1], generator));
}
