#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The Weibull distribution with a scale and a shape.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.weibull.Weibull">
/// torch.distributions.Weibull</see>.
/// </remarks>
public class Weibull : TransformedDistribution
{
    internal Weibull(Tensor scale, Tensor concentration, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(scale, concentration, concentration.reciprocal(), scale.zeros_like());
        var exponential = new Exponential(this.scale.ones_like(), generator);
        _init(exponential, [new PowerTransform(reciprocal), new AffineTransform(Parameter(3), this.scale)]);
    }

    private Tensor scale => Parameter(0);

    private Tensor concentration => Parameter(1);

    private Tensor reciprocal => Parameter(2);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => scale * (1 + reciprocal).lgamma().exp());

    /// <inheritdoc/>
    public override Tensor mode => Scoped(() => scale * ((concentration - 1) / concentration).pow(reciprocal));

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() =>
        scale.pow(2) * ((1 + 2 * reciprocal).lgamma().exp() - (2 * (1 + reciprocal).lgamma()).exp()));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => euler_constant * (1 - reciprocal) + (scale * reciprocal).log() + 1);

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Weibull(given[0], given[1], generator));
}
