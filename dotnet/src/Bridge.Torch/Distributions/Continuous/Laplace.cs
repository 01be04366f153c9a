#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Laplace distribution with a mean and a scale.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.laplace.Laplace">
/// torch.distributions.Laplace</see>.
/// </remarks>
public class Laplace : distributions.Distribution
{
    /// <summary>Creates a Laplace distribution around a mean.</summary>
    /// <param name="loc">The mean, of a shape that broadcasts with <c>scale</c>'s.</param>
    /// <param name="scale">The scale, positive, of a shape that broadcasts with <c>loc</c>'s.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Laplace(Tensor loc, Tensor scale, Generator generator = null) : base(generator) => Broadcast(loc, scale);

    private Tensor loc => Parameter(0);

    private Tensor scale => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => loc;

    /// <inheritdoc/>
    public override Tensor mode => loc;

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => 2 * scale.pow(2));

    /// <inheritdoc/>
    public override Tensor stddev => Math.Sqrt(2) * scale;

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var u = empty(shape, loc.dtype, loc.device).uniform_(finfo(loc.dtype).eps - 1, 1, generator);
            return loc - scale * u.sign() * (-u.abs()).log1p();
        });
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() => -(2 * scale).log() - (value - loc).abs() / scale);

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => 1 + (2 * scale).log());

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) =>
        Scoped(() => 0.5 - 0.5 * (value - loc).sign() * (-(value - loc).abs() / scale).expm1());

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() =>
    {
        var term = value - 0.5;
        return loc - scale * term.sign() * (-2 * term.abs()).log1p();
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Laplace(given[0], given[1], generator));
}
