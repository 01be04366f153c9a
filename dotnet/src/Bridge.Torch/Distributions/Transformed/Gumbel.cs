#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>The Gumbel distribution with a location and a scale.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.gumbel.Gumbel">
/// torch.distributions.Gumbel</see>.
/// </remarks>
public class Gumbel : TransformedDistribution
{
    internal Gumbel(Tensor loc, Tensor scale, Generator generator = null) : base(generator)
    {
        using var scope = NewDisposeScope();
        Broadcast(loc, scale, -scale);
        var limits = finfo(this.loc.dtype);
        var uniform = new Uniform(this.loc.full_like(limits.tiny), this.loc.full_like(1 - limits.eps), generator);
        _init(uniform, [new LogTransform(), new AffineTransform(0, -1), new LogTransform(), new AffineTransform(this.loc, Parameter(2))]);
    }

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => Scoped(() => loc + scale * euler_constant);

    /// <inheritdoc/>
    public override Tensor mode => loc;

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => stddev.pow(2));

    /// <inheritdoc/>
    public override Tensor stddev => Math.PI / Math.Sqrt(6) * scale;

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var y = (loc - value) / scale;
        return y - y.exp() - scale.log();
    });

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => scale.log() + (1 + euler_constant));

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Gumbel(given[0], given[1], generator));
}
