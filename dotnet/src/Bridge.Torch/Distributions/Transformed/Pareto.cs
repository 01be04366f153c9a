#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The Pareto distribution of the first type.</summary>
public class Pareto : TransformedDistribution
{
    internal Pareto(Tensor scale, Tensor alpha, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(scale, alpha, scale.zeros_like());
        _init(new Exponential(this.alpha, generator), [new ExpTransform(), new AffineTransform(Parameter(2), this.scale)]);
    }

    public Tensor scale => Parameter(0);

    public Tensor alpha => Parameter(1);

    public override Tensor mean => Scoped(() =>
    {
        var a = alpha.clamp(min: 1);
        return a * scale / (a - 1);
    });

    public override Tensor mode => scale;

    public override Tensor variance => Scoped(() =>
    {
        var a = alpha.clamp(min: 2);
        return scale.pow(2) * a / ((a - 1).pow(2) * (a - 2));
    });

    public override Tensor entropy() => Scoped(() => (scale / alpha).log() + (1 + alpha.reciprocal()));

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Pareto(given[0], given[1], generator));
}
