using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Computes exp(x) / sum exp(x) along one dimension.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html">torch.nn.Softmax</see>.</remarks>
[Settings]
public sealed partial class Softmax : PlainBuiltIn
{
    internal Softmax(long dim) : base(nameof(Softmax)) => this.dim = dim;

    private protected override Tensor Compute(Tensor input) => input.softmax(dim);
}

/// <summary>Computes the logarithm of <see cref="Softmax"/> along one dimension.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html">torch.nn.LogSoftmax</see>.
/// </remarks>
[Settings]
public sealed partial class LogSoftmax : PlainBuiltIn
{
    internal LogSoftmax(long dim) : base(nameof(LogSoftmax)) => this.dim = dim;

    private protected override Tensor Compute(Tensor input) => nn.functional.log_softmax(input, dim);
}

/// <summary>Computes <see cref="Softmax"/> over the channels of images, of shape (N, C, H, W) or (C, H, W).</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax2d.html">torch.nn.Softmax2d</see>.</remarks>
public sealed class Softmax2d : PlainBuiltIn
{
    internal Softmax2d() : base(nameof(Softmax2d)) { }

    private protected override Tensor Compute(Tensor input) => input.dim() is 3 or 4 ? input.softmax(-3)
        : throw new ArgumentException(
            $"Softmax2d takes [N, C, H, W] or [C, H, W], its input has shape [{string.Join(", ", input.Sizes)}].");
}

/// <summary>Computes <see cref="Softmax"/> of -x along one dimension.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmin.html">torch.nn.Softmin</see>.</remarks>
[Settings]
public sealed partial class Softmin : PlainBuiltIn
{
    internal Softmin(long dim) : base(nameof(Softmin)) => this.dim = dim;

    private protected override Tensor Compute(Tensor input) => nn.functional.softmin(input, dim);
}
