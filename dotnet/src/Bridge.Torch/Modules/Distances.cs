using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>x1^T A x2 + b, over the last dimensions.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Bilinear.html">torch.nn.Bilinear</see>.</remarks>
[Settings]
public sealed partial class Bilinear : nn.Module<Tensor, Tensor, Tensor>
{
    internal Bilinear(long in1_features, long in2_features, long out_features, bool hasBias, Device? device, ScalarType? dtype)
        : base(nameof(Bilinear))
    {
        MakesIntermediates = false;
        (this.in1_features, this.in2_features, this.out_features) = (in1_features, in2_features, out_features);
        var bound = 1 / Math.Sqrt(in1_features);
        weight = ParameterInitializers.Uniform([out_features, in1_features, in2_features], bound, device, dtype);
        if (hasBias) bias = ParameterInitializers.Uniform([out_features], bound, device, dtype);
    }

    /// <summary>Gets or sets the weight of the <c>Bilinear</c>, of shape (out_features, in1_features, in2_features).</summary>
    public Parameter weight { get; set => field = Put(value); }

    /// <summary>Gets or sets the bias of the <c>Bilinear</c>, of shape (out_features); null for none.</summary>
    public Parameter? bias { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    /// <inheritdoc/>
    public override Tensor forward(Tensor input1, Tensor input2) =>
        RunsInPython ? ForwardInPython((input1, input2)) : nn.functional.bilinear(input1, input2, weight, bias);
}

/// <summary>The cosine similarity of two tensors along a dimension.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.CosineSimilarity.html">CosineSimilarity</see>.
/// </remarks>
[Settings]
public sealed partial class CosineSimilarity : ParameterLessModule<Tensor, Tensor, Tensor>
{
    internal CosineSimilarity(long dim, double eps) : base(nameof(CosineSimilarity)) =>
        (MakesIntermediates, this.dim, this.eps) = (false, dim, eps);

    /// <inheritdoc/>
    public override Tensor forward(Tensor input1, Tensor input2) =>
        RunsInPython ? ForwardInPython((input1, input2)) : nn.functional.cosine_similarity(input1, input2, dim, eps);
}

/// <summary>The p-norm of the difference of two tensors along the last dimension.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.PairwiseDistance.html">PairwiseDistance</see>.
/// </remarks>
[Settings]
public sealed partial class PairwiseDistance : ParameterLessModule<Tensor, Tensor, Tensor>
{
    internal PairwiseDistance(double p, double eps, bool keepdim) : base(nameof(PairwiseDistance)) =>
        (MakesIntermediates, norm, this.eps, this.keepdim) = (false, p, eps, keepdim);

    /// <inheritdoc/>
    public override Tensor forward(Tensor input1, Tensor input2) =>
        RunsInPython ? ForwardInPython((input1, input2)) : nn.functional.pairwise_distance(input1, input2, norm, eps, keepdim);
}

/// <summary>
/// A combination of sliding windows, [N, C * window size, windows], into images. Overlapping elements are added. The batch dimension is
/// optional.
/// </summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Fold.html">torch.nn.Fold</see>.</remarks>
[Settings]
public sealed partial class Fold : PlainBuiltIn
{
    internal Fold(long[] output_size, long[] kernel_size, long[]? dilation, long[]? padding, long[]? stride) : base(nameof(Fold)) =>
        (this.output_size, this.kernel_size, this.dilation, this.padding, this.stride) = (Sizes.Pair(output_size),
            Sizes.Pair(kernel_size), Sizes.Pair(dilation ?? [1, 1]), Sizes.Pair(padding ?? [0, 0]), Sizes.Pair(stride ?? [1, 1]));

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride);
}

/// <summary>The sliding windows of images, each as a column.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html">torch.nn.Unfold</see>.</remarks>
[Settings]
public sealed partial class Unfold : PlainBuiltIn
{
    internal Unfold(long[] kernel_size, long[]? dilation, long[]? padding, long[]? stride) : base(nameof(Unfold)) =>
        (this.kernel_size, this.dilation, this.padding, this.stride) = (Sizes.Pair(kernel_size), Sizes.Pair(dilation ?? [1, 1]),
            Sizes.Pair(padding ?? [0, 0]), Sizes.Pair(stride ?? [1, 1]));

    private protected override Tensor Compute(Tensor input) => nn.functional.unfold(input, kernel_size, dilation, padding, stride);
}

/// <summary>A rearrangement of channels into pixels: [*, C * r * r, H, W] to [*, C, H * r, W * r].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html">PixelShuffle</see>.</remarks>
[Settings]
public sealed partial class PixelShuffle : PlainBuiltIn
{
    internal PixelShuffle(long upscale_factor) : base(nameof(PixelShuffle)) => this.upscale_factor = upscale_factor;

    private protected override Tensor Compute(Tensor input) => nn.functional.pixel_shuffle(input, upscale_factor);
}

/// <summary>A rearrangement of pixels into channels: [*, C, H * r, W * r] to [*, C * r * r, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelUnshuffle.html">PixelUnshuffle</see>.
/// </remarks>
[Settings]
public sealed partial class PixelUnshuffle : PlainBuiltIn
{
    internal PixelUnshuffle(long downscale_factor) : base(nameof(PixelUnshuffle)) => this.downscale_factor = downscale_factor;

    private protected override Tensor Compute(Tensor input) => nn.functional.pixel_unshuffle(input, downscale_factor);
}

/// <summary>A permutation of channels that mixes their groups.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html">ChannelShuffle</see>.
/// </remarks>
[Settings]
public sealed partial class ChannelShuffle : PlainBuiltIn
{
    internal ChannelShuffle(long groups) : base(nameof(ChannelShuffle)) => this.groups = groups;

    private protected override Tensor Compute(Tensor input) => input.channel_shuffle(groups);
}

/// <summary>A split of one dimension into several.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Unflatten.html">torch.nn.Unflatten</see>.</remarks>
[Settings]
public sealed partial class Unflatten : PlainBuiltIn
{
    internal Unflatten(long dim, long[] unflattened_size) : base(nameof(Unflatten)) =>
        (this.dim, this.unflattened_size) = (dim, unflattened_size);

    private protected override Tensor Compute(Tensor input) => input.unflatten(dim, unflattened_size);
}
