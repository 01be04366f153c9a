// What test_vision.py runs.
#nullable disable
using System;
using System.Linq;
using System.Runtime.InteropServices;
using TorchSharp;
using static TorchSharp.torch;

namespace Pictures;

/// <summary>Calls the native functions that TorchVision imports, as TorchVision does, from an assembly of the same name.</summary>
public sealed class Functions : nn.Module<Tensor, Tensor>
{
    public Functions() : base(nameof(Functions)) => RegisterComponents();

    public override Tensor forward(Tensor x) => Hue(x, 0.25);

    public long Live() => Tensor.TotalCount;

    public Tensor Hue(Tensor image, double factor) => Wrap(THSVision_AdjustHue(image.Handle, factor));

    public Tensor AffineGrid(Tensor theta, long width, long height, long outWidth, long outHeight) =>
        Wrap(THSVision_GenerateAffineGrid(theta.Handle, width, height, outWidth, outHeight));

    public Tensor PerspectiveGrid(float[] coefficients, long width, long height, ScalarType type) =>
        Wrap(THSVision_PerspectiveGrid(coefficients, coefficients.Length, width, height, (sbyte)type, (int)DeviceType.CPU, -1));

    public Tensor Sample(Tensor image, Tensor grid, int mode, float[] fill) =>
        Wrap(THSVision_ApplyGridTransform(image.Handle, grid.Handle, (sbyte)mode, fill.Length > 0 ? fill : null, fill.Length));

    public Tensor Equalize(Tensor channel) => Wrap(THSVision_ScaleChannel(channel.Handle));

    public long[] Size(float[] matrix, long width, long height)
    {
        THSVision_ComputeOutputSize(matrix, matrix.Length, width, height, out var first, out var second);
        CheckForErrors();
        return [first, second];
    }

    /// <summary>Splits the pixels of a picture, and returns the planes one after the other.</summary>
    public Tensor Planes(Tensor pixels, bool alpha)
    {
        var (given, size) = (pixels.bytes.ToArray(), pixels.numel() / 4);
        var planes = Enumerable.Range(0, alpha ? 4 : 3).Select(_ => new byte[size]).ToArray();
        if (alpha) THSVision_BRGA_RGBA(given, planes[0], planes[1], planes[2], planes[3], 4, size);
        else THSVision_BRGA_RGB(given, planes[0], planes[1], planes[2], 4, size);
        return tensor(planes.SelectMany(plane => plane).ToArray());
    }

    public Tensor Pixels(Tensor planes)
    {
        var (channels, size) = (planes.shape[0], planes.shape[1]);
        var pixels = new byte[4 * size];
        THSVision_RGB_BRGA(planes.bytes.ToArray(), pixels, channels, size);
        return tensor(pixels);
    }

    private static Tensor Wrap(IntPtr result)
    {
        if (result == IntPtr.Zero) CheckForErrors();
        return Tensor.UnsafeCreateTensor(result);
    }

    [DllImport("LibTorchSharp")]
    private static extern IntPtr THSVision_AdjustHue(IntPtr image, double factor);

    [DllImport("LibTorchSharp")]
    private static extern IntPtr THSVision_GenerateAffineGrid(IntPtr theta, long width, long height, long outWidth, long outHeight);

    [DllImport("LibTorchSharp")]
    private static extern IntPtr THSVision_PerspectiveGrid(float[] coefficients, long count, long width, long height, sbyte type,
        int deviceType, int deviceIndex);

    [DllImport("LibTorchSharp")]
    private static extern IntPtr THSVision_ApplyGridTransform(IntPtr image, IntPtr grid, sbyte mode, float[] fill, long count);

    [DllImport("LibTorchSharp")]
    private static extern IntPtr THSVision_ScaleChannel(IntPtr channel);

    [DllImport("LibTorchSharp")]
    private static extern void THSVision_ComputeOutputSize(float[] matrix, long count, long width, long height, out int first,
        out int second);

    [DllImport("LibTorchSharp")]
    private static extern void THSVision_BRGA_RGB(byte[] pixels, byte[] red, byte[] green, byte[] blue, long channels, long size);

    [DllImport("LibTorchSharp")]
    private static extern void THSVision_BRGA_RGBA(byte[] pixels, byte[] red, byte[] green, byte[] blue, byte[] alpha, long channels,
        long size);

    [DllImport("LibTorchSharp")]
    private static extern void THSVision_RGB_BRGA(byte[] planes, byte[] pixels, long channels, long size);
}
