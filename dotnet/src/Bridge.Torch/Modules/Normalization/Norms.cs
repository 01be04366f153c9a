using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Normalization over the last dimensions.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html">torch.nn.LayerNorm</see>.</remarks>
[Settings]
public sealed partial class LayerNorm : AffineNorm
{
    internal LayerNorm(long[] normalized_shape, double eps, bool elementwise_affine, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(LayerNorm), normalized_shape, eps, elementwise_affine, bias, device, dtype)
    {
        this.normalized_shape = normalized_shape;
    }

    /// <summary>Gets or sets whether the <c>LayerNorm</c> has parameters. Setting it creates or removes no parameter.</summary>
    public bool elementwise_affine
    {
        get => HasWeight;
        set => HasWeight = value;
    }

    private protected override Tensor Compute(Tensor input) => nn.functional.layer_norm(input, normalized_shape, weight, bias, eps);
}

/// <summary>Normalization of groups of channels of [N, C, …], separately for each example.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html">torch.nn.GroupNorm</see>.</remarks>
[Settings]
public sealed partial class GroupNorm : AffineNorm
{
    internal GroupNorm(long num_groups, long num_channels, double eps, bool affine, Device? device, ScalarType? dtype)
        : base(nameof(GroupNorm), [num_channels], eps, affine, true, device, dtype)
    {
        if (num_groups <= 0 || num_channels % num_groups != 0)
            throw new ArgumentException($"GroupNorm: {num_channels} channels cannot be split into {num_groups} groups.");
        (this.num_groups, this.num_channels) = (num_groups, num_channels);
    }

    /// <summary>Gets the number of channels of the <c>GroupNorm</c>.</summary>
    public long num_channels { get; }

    /// <summary>Gets or sets whether the <c>GroupNorm</c> has parameters. Setting it creates or removes no parameter.</summary>
    public bool affine
    {
        get => HasWeight;
        set => HasWeight = value;
    }

    /// <exception cref="ArgumentException">
    /// The input has no channel dimension, a wrong number of channels, or a single value in each group.
    /// </exception>
    private protected override Tensor Compute(Tensor input)
    {
        if (input.dim() < 2 || input.size(1) % num_groups != 0 || (weight is not null && input.size(1) != num_channels))
            throw new ArgumentException(
                $"GroupNorm takes [N, {num_channels}, ...], its input has shape [{string.Join(", ", input.Sizes)}].");
        return nn.functional.group_norm(input, num_groups, weight, bias, eps);
    }
}

/// <summary>The base class of LayerNorm and GroupNorm: an optional weight of ones, and an optional bias of zeros.</summary>
public abstract class AffineNorm : BuiltIn
{
    private protected AffineNorm(string name, long[] size, double eps, bool affine, bool bias, Device? device, ScalarType? dtype)
        : base(name)
    {
        (this.eps, HasWeight) = (eps, affine);
        if (!affine) return;
        using var off = no_grad();
        weight = new Parameter(ones(size, dtype, device));
        if (bias) this.bias = new Parameter(zeros(size, dtype, device));
    }

    /// <summary>Gets or sets the number that is added to the variance, before the division by its square root.</summary>
    public double eps { get; set => field = Publish(value); }

    /// <summary>Gets or sets the factors of the normalized elements or channels; null in a module without parameters.</summary>
    public Parameter weight { get => ParameterInitializers.ValueOrNull(field)!; set => field = Put(value); }

    /// <summary>Gets or sets the summands of the normalized elements or channels; null in a module without a bias.</summary>
    public Parameter? bias { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    /// <summary>Sets the weight to 1 and the bias to 0, in a <c>LayerNorm</c> or <c>GroupNorm</c>.</summary>
    public void reset_parameters()
    {
        using var off = no_grad();
        using var weights = weight?.detach();
        using var biases = bias?.detach();
        weights?.fill_(1);
        biases?.zero_();
    }

    private protected bool HasWeight { get; set; }
}
