using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>In training, zeroes random elements, each with probability <c>p</c>, and divides the others by 1 - p.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html">torch.nn.Dropout</see>.</remarks>
public sealed class Dropout : DropoutBase
{
    internal Dropout(double p, bool inplace) : base(nameof(Dropout), p, inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.dropout(input, p, training, inplace);
}

/// <summary>In training, zeroes random channels of signals, of shape (N, C, L) or (C, L), and divides the others by 1 - p.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout1d.html">torch.nn.Dropout1d</see>.</remarks>
public sealed class Dropout1d : DropoutBase
{
    internal Dropout1d(double p, bool inplace) : base(nameof(Dropout1d), p, inplace) { }

    private protected override Tensor Compute(Tensor input)
    {
        if (input.dim() is not (2 or 3))
            throw new ArgumentException(
                $"Dropout1d takes [N, C, L] or [C, L], its input has shape [{string.Join(", ", input.Sizes)}].");
        return DropChannels(input, input.dim() == 3);
    }
}

/// <summary>In training, zeroes random channels of images, of shape (N, C, H, W), and divides the others by 1 - p.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout2d.html">torch.nn.Dropout2d</see>.</remarks>
public sealed class Dropout2d : DropoutBase
{
    internal Dropout2d(double p, bool inplace) : base(nameof(Dropout2d), p, inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.dropout2d(input, p, training, inplace);
}

/// <summary>
/// In training, zeroes random channels of volumes, of shape (N, C, D, H, W) or (C, D, H, W), and divides the others by 1 - p.
/// </summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout3d.html">torch.nn.Dropout3d</see>.</remarks>
public sealed class Dropout3d : DropoutBase
{
    internal Dropout3d(double p, bool inplace) : base(nameof(Dropout3d), p, inplace) { }

    private protected override Tensor Compute(Tensor input) => DropChannels(input, input.dim() != 4);
}

/// <summary>The base class of dropouts.</summary>
public abstract class DropoutBase : InPlaceModule
{
    private protected DropoutBase(string name, double p, bool inplace) : base(name, inplace)
    {
        if (p is not (>= 0 and <= 1))
            throw new ArgumentException($"{name}: p must be a probability from 0 to 1, it is {p}.", nameof(p));
        this.p = p;
    }

    /// <summary>Gets or sets the probability of dropping an element or a channel, from 0 to 1.</summary>
    public double p { get; set => field = Publish(value); }

    /// <summary>Drops entire channels. <paramref name="batched"/> is false for an input without a batch dimension.</summary>
    private protected Tensor DropChannels(Tensor input, bool batched)
    {
        if (batched) return nn.functional.dropout2d(input, p, training, inplace);
        using var batch = inplace ? input.unsqueeze_(0).alias() : input.unsqueeze(0);
        using var result = nn.functional.dropout2d(batch, p, training, inplace);
        return inplace ? result.squeeze_(0).alias() : result.squeeze(0);
    }
}

/// <summary>In training, drops random elements, which become SELU's negative limit, and preserves mean 0 and variance 1.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AlphaDropout.html">torch.nn.AlphaDropout</see>.
/// </remarks>
public sealed class AlphaDropout : DropoutBase
{
    internal AlphaDropout(double p, bool inplace) : base(nameof(AlphaDropout), p, inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.alpha_dropout(input, p, training, inplace);
}

/// <summary>In training, drops random channels, which become SELU's negative limit, and preserves mean 0 and variance 1.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.FeatureAlphaDropout.html">
/// torch.nn.FeatureAlphaDropout</see>.
/// </remarks>
public sealed class FeatureAlphaDropout : DropoutBase
{
    internal FeatureAlphaDropout(double p, bool inplace = false) : base(nameof(FeatureAlphaDropout), p, inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.feature_alpha_dropout(input, p, training, inplace);
}
