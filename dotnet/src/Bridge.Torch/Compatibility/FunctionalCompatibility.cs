using System.ComponentModel;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Compatibility;

/// <summary>
/// The functions of <see cref="functional"/> that TorchSharp had before 0.107, for assemblies that were compiled against those versions.
/// </summary>
/// <remarks>
/// They are in a base class for the reason that <see cref="TensorCompatibility"/> gives. A static class has no base class, so
/// <see cref="functional"/> is not static. Some differ in meaning from a current function with the same arguments.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class FunctionalCompatibility
{
    private protected FunctionalCompatibility() { }

    /// <summary>0.102.0 to 0.103.1: averages windows of images, with a default stride of 1; see the overload with a divisor.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor avg_pool2d(Tensor input, long[] kernelSizes, long[]? strides, long[]? paddings, bool ceil_mode,
        bool count_include_pad) =>
        functional.avg_pool2d(input, kernelSizes, strides ?? [1], paddings ?? [0], ceil_mode, count_include_pad, null);

    /// <summary>0.102.0 to 0.103.1: averages square windows of images; see the overload with a divisor.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor avg_pool2d(Tensor input, long kernelSize, long? stride, long padding, bool ceil_mode, bool count_include_pad) =>
        functional.avg_pool2d(input, kernelSize, stride, padding, ceil_mode, count_include_pad, null);

    /// <summary>0.102.0 to 0.103.1: averages rectangular windows of images; see the overload with a divisor.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor avg_pool2d(Tensor input, (long, long) kernelSize, (long, long)? stride, (long, long)? padding, bool ceil_mode,
        bool count_include_pad) =>
        functional.avg_pool2d(input, kernelSize, stride, padding, ceil_mode, count_include_pad, null);

    /// <summary>0.102.0 to 0.103.1: averages windows of volumes, with a default stride of 1; see the overload with a divisor.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor avg_pool3d(Tensor input, long[] kernelSizes, long[]? strides, long[]? paddings, bool ceil_mode,
        bool count_include_pad) =>
        functional.avg_pool3d(input, kernelSizes, strides ?? [1], paddings ?? [0], ceil_mode, count_include_pad, null);

    /// <summary>
    /// 0.102.0 to 0.103.1: returns the gradient of an average over windows of images; see the overload whose divisor may be null.
    /// </summary>
    /// <param name="input">The gradient of the result.</param>
    /// <param name="originalInput">The input of the pooling.</param>
    /// <param name="kernelSizes">The size of the window.</param>
    /// <param name="strides">The stride of the window.</param>
    /// <param name="paddings">The padding on both sides.</param>
    /// <param name="ceil_mode">Whether the number of windows is rounded up.</param>
    /// <param name="count_include_pad">Whether the mean includes the padding.</param>
    /// <param name="divisorOverride">The number by which sums are divided; 0 for the size of the window.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor avg_pool2d_backward(Tensor input, Tensor originalInput, long[] kernelSizes, long[]? strides, long[]? paddings,
        bool ceil_mode, bool count_include_pad, long divisorOverride) =>
        functional.avg_pool2d_backward(input, originalInput, kernelSizes, strides, paddings, ceil_mode, count_include_pad,
            divisorOverride == 0 ? null : divisorOverride);

    /// <summary>
    /// 0.102.0 to 0.103.1: returns the gradient of an average over windows of volumes; see the overload whose divisor may be null.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor avg_pool3d_backward(Tensor input, Tensor originalInput, long[] kernelSizes, long[]? strides, long[]? paddings,
        bool ceil_mode, bool count_include_pad, long divisorOverride) =>
        functional.avg_pool3d_backward(input, originalInput, kernelSizes, strides, paddings, ceil_mode, count_include_pad,
            divisorOverride == 0 ? null : divisorOverride);

    /// <summary>
    /// 0.102.0 to 0.103.1: reverses max_pool2d to a result of a given size; in the current function, the array is the size of the window.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor max_unpool2d(Tensor input, Tensor indices, long[] outputSize) => Kernels.MaxUnpool2d(input, indices, outputSize);

    /// <summary>
    /// 0.102.0 to 0.103.1: reverses max_pool3d to a result of a given size; in the current function, the first array is the size of the
    /// window.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor max_unpool3d(Tensor input, Tensor indices, long[] outputSize, long[] strides, long[] padding) =>
        Kernels.MaxUnpool3d(input, indices, outputSize, strides, padding);

    /// <summary>0.102.0 to 0.104.0: resizes images or the like without antialiasing; see the overload with antialias.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor interpolate(Tensor x, long[]? size, double[]? scale_factor, InterpolationMode mode, bool? align_corners,
        bool recompute_scale_factor) =>
        functional.interpolate(x, size, scale_factor, mode, align_corners, recompute_scale_factor, false);

    /// <summary>0.104.0: applies the softplus function with integers; see the overload with doubles.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static Tensor softplus(Tensor x, int beta, int threshold) => functional.softplus(x, (double)beta, threshold);
}
