#nullable disable annotations // As in TorchSharp.

using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.distributions.transforms;

namespace TorchSharp.Modules;

/// <summary>A distribution whose samples are the samples of another distribution, changed by transforms.</summary>
/// <remarks>
/// PyTorch: <see
/// href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transformed_distribution.TransformedDistribution">
/// torch.distributions.TransformedDistribution</see>.
/// </remarks>
public class TransformedDistribution : distributions.Distribution
{
    /// <summary>The distribution whose samples are changed.</summary>
    protected distributions.Distribution base_distribution;

    private Transform[] transforms = [];

    private IEnumerable<Transform> Backwards => transforms.AsEnumerable().Reverse();

    /// <summary>Creates a distribution for a derived class, which then calls <c>_init</c>.</summary>
    /// <param name="generator">The value of the field <see cref="distributions.Distribution.generator"/>.</param>
    public TransformedDistribution(Generator generator = null) : base(generator) { }

    /// <summary>Creates a distribution of the samples of another distribution, changed by one transform.</summary>
    /// <param name="base_distribution">The distribution whose samples are changed; it is disposed with this one.</param>
    /// <param name="transform">The transform.</param>
    /// <param name="generator">Has no effect on samples, which the base distribution draws with its own.</param>
    /// <exception cref="ArgumentException">A sample has fewer dimensions than the transforms need.</exception>
    public TransformedDistribution(distributions.Distribution base_distribution, Transform transform, Generator generator = null)
        : this(base_distribution, [transform], generator)
    {
    }

    /// <summary>Creates a distribution of the samples of another distribution, changed by transforms.</summary>
    /// <param name="base_distribution">The distribution whose samples are changed; it is disposed with this one.</param>
    /// <param name="transforms">The transforms, in the order in which they are applied.</param>
    /// <param name="generator">Has no effect on samples, which the base distribution draws with its own.</param>
    /// <exception cref="ArgumentException">A sample has fewer dimensions than the transforms need.</exception>
    public TransformedDistribution(distributions.Distribution base_distribution, IEnumerable<Transform> transforms,
        Generator generator = null) : base(generator) =>
        _init(base_distribution, [.. transforms]);

    /// <summary>Sets the distribution, which is disposed with this one, and its transforms.</summary>
    /// <param name="base_distribution">The distribution whose samples are changed.</param>
    /// <param name="transforms">The transforms, in the order in which they are applied.</param>
    /// <exception cref="ArgumentException">A sample has fewer dimensions than the transforms need.</exception>
    protected void _init(distributions.Distribution base_distribution, Transform[] transforms)
    {
        this.transforms = transforms;
        Own(base_distribution);
        var transform = new ComposeTransform(transforms);
        long[] shape = [.. base_distribution.batch_shape, .. base_distribution.event_shape];
        var (needed, events) = (transform.domain.event_dim, base_distribution.event_shape.Length);
        if (shape.Length < needed)
            throw new ArgumentException($"A sample has {Phrases.Plural(shape.Length, "dimension")}; the transform needs {needed}.");

        var transformed = transform.forward_shape(shape);
        var expanded = transform.inverse_shape(transformed);
        if (!expanded.SequenceEqual(shape)) base_distribution = Own(base_distribution.expand(new Size(expanded[..^events])));
        if (needed > events) base_distribution = Own(new Independent(base_distribution, needed - events, generator));
        this.base_distribution = base_distribution;
        var resulting = transform.codomain.event_dim;
        var event_dim = Math.Max(resulting, base_distribution.event_shape.Length + resulting - needed);
        _init(new Size(transformed[..^event_dim]), new Size(transformed[^event_dim..]));
    }

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, unless a derived class overrides it.</exception>
    public override Tensor mean => throw new NotImplementedException($"{GetType().Name} has no mean.");

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, unless a derived class overrides it.</exception>
    public override Tensor variance => throw new NotImplementedException($"{GetType().Name} has no variance.");

    /// <inheritdoc/>
    public override Tensor sample(params long[] sample_shape)
    {
        using var off = no_grad();
        return Scoped(() => Transformed(base_distribution.sample(sample_shape)));
    }

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() => Transformed(base_distribution.rsample(sample_shape)));

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var event_dim = event_shape.Length;
        Tensor result = 0;
        var y = value;
        foreach (var transform in Backwards)
        {
            var x = transform.inv.forward(y);
            event_dim += transform.domain.event_dim - transform.codomain.event_dim;
            result = result - Transform._sum_rightmost(transform.log_abs_det_jacobian(x, y), event_dim - transform.domain.event_dim);
            y = x;
        }

        return result + Transform._sum_rightmost(base_distribution.log_prob(y), event_dim - base_distribution.event_shape.Length);
    });

    /// <inheritdoc/>
    public override Tensor cdf(Tensor value) => Scoped(() =>
        Monotone(base_distribution.cdf(Backwards.Aggregate(value, (y, transform) => transform.inv.forward(y)))));

    /// <inheritdoc/>
    public override Tensor icdf(Tensor value) => Scoped(() => Transformed(base_distribution.icdf(Monotone(value))));

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, unless a derived class overrides it.</exception>
    public override Tensor entropy() => throw new NotImplementedException($"{GetType().Name} has no entropy.");

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null)
    {
        long[] shape = [.. batch_shape, .. event_shape];
        foreach (var transform in Backwards) shape = transform.inverse_shape(shape);
        var expanded = base_distribution.expand(new Size(shape[..^base_distribution.event_shape.Length]));
        return Filled(instance, new TransformedDistribution(expanded, transforms, generator));
    }

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        var from = (TransformedDistribution)other;
        (base_distribution, transforms) = (from.base_distribution, from.transforms);
    }

    private Tensor Transformed(Tensor x) => transforms.Aggregate(x, (value, transform) => transform.forward(value));

    /// <summary>Returns probabilities for an increasing transform, or their complements for a decreasing one.</summary>
    private Tensor Monotone(Tensor value)
    {
        var sign = transforms.Aggregate((Tensor)1, (product, transform) => product * transform.sign);
        return sign * (value - 0.5) + 0.5;
    }
}
