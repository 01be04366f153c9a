#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The Kumaraswamy distribution with two concentrations.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.kumaraswamy.Kumaraswamy">
/// torch.distributions.Kumaraswamy</see>.
/// </remarks>
public class Kumaraswamy : TransformedDistribution
{
    internal Kumaraswamy(Tensor concentration1, Tensor concentration0, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(concentration1, concentration0, concentration1.reciprocal(), concentration0.reciprocal());
        var uniform = new Uniform(this.concentration1.zeros_like(), this.concentration1.ones_like(), generator);
        _init(uniform, [new PowerTransform(Parameter(3)), new AffineTransform(1, -1), new PowerTransform(Parameter(2))]);
    }

    /// <summary>Gets the first concentration, a, of this <c>Kumaraswamy</c>.</summary>
    public Tensor concentration1 => Parameter(0);

    /// <summary>Gets the second concentration, b, of this <c>Kumaraswamy</c>.</summary>
    public Tensor concentration0 => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => Moment(1));

    /// <inheritdoc/>
    /// <remarks>NaN where a concentration is below 1.</remarks>
    public override Tensor mode => Scoped(() =>
    {
        var logarithm = concentration0.reciprocal() * (-concentration0).log1p() - (-concentration0 * concentration1).log1p();
        return logarithm.masked_fill((concentration0 < 1).logical_or(concentration1 < 1), double.NaN).exp();
    });

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => Moment(2) - Moment(1).pow(2));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() =>
    {
        var (t1, t0) = (1 - concentration1.reciprocal(), 1 - concentration0.reciprocal());
        return t0 + t1 * ((concentration0 + 1).digamma() + euler_constant) - concentration1.log() - concentration0.log();
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Kumaraswamy(given[0], given[1], generator));

    private Tensor Moment(int n)
    {
        var power = 1 + n / concentration1;
        return concentration0 * (power.lgamma() + concentration0.lgamma() - (power + concentration0).lgamma()).exp();
    }
}
