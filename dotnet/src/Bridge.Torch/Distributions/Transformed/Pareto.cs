#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The Pareto distribution of the first type.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.pareto.Pareto">
/// torch.distributions.Pareto</see>.
/// </remarks>
public class Pareto : TransformedDistribution
{
    internal Pareto(Tensor scale, Tensor alpha, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(scale, alpha, scale.zeros_like());
        _init(new Exponential(this.alpha, generator), [new ExpTransform(), new AffineTransform(Parameter(2), this.scale)]);
    }

    /// <summary>Gets the scale of this <c>Pareto</c>, which is its smallest value.</summary>
    public Tensor scale => Parameter(0);

    /// <summary>Gets the shape parameter of this <c>Pareto</c>: the smaller, the more likely are large values.</summary>
    public Tensor alpha => Parameter(1);

    /// <inheritdoc/>
    /// <remarks>Infinity where <c>alpha</c> is at most 1.</remarks>
    public override Tensor mean => Scoped(() =>
    {
        var a = alpha.clamp(min: 1);
        return a * scale / (a - 1);
    });

    /// <inheritdoc/>
    public override Tensor mode => scale;

    /// <inheritdoc/>
    /// <remarks>Infinity where <c>alpha</c> is at most 2.</remarks>
    public override Tensor variance => Scoped(() =>
    {
        var a = alpha.clamp(min: 2);
        return scale.pow(2) * a / ((a - 1).pow(2) * (a - 2));
    });

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => (scale / alpha).log() + (1 + alpha.reciprocal()));

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Pareto(given[0], given[1], generator));
}
