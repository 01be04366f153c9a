using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Bridge.Torch.Native;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Vision;

/// <summary>The functions that TorchVision imports from TorchSharp's native library, with the same names and signatures.</summary>
/// <remarks>
/// Tensors are handles; the caller owns a result. The results of a function that fails are zero; <c>torch.CheckForErrors</c>, which
/// TorchVision calls next, throws the exception.
/// </remarks>
internal static unsafe class VisionFunctions
{
    // The exception of the thread's last call, if it failed and CheckForErrors has not thrown it yet.
    [ThreadStatic]
    private static Exception? _failure;

    /// <summary>Gets the addresses of the functions by name.</summary>
    internal static IReadOnlyDictionary<string, IntPtr> Addresses { get; } = new Dictionary<string, IntPtr>
    {
        ["THSVision_AdjustHue"] = (IntPtr)(delegate* unmanaged<IntPtr, double, IntPtr>)&AdjustHue,
        ["THSVision_ApplyGridTransform"] = (IntPtr)(delegate* unmanaged<IntPtr, IntPtr, sbyte, float*, long, IntPtr>)&ApplyGrid,
        ["THSVision_BRGA_RGB"] = (IntPtr)(delegate* unmanaged<byte*, byte*, byte*, byte*, long, long, void>)&Split,
        ["THSVision_BRGA_RGBA"] = (IntPtr)(delegate* unmanaged<byte*, byte*, byte*, byte*, byte*, long, long, void>)&SplitWithAlpha,
        ["THSVision_ComputeOutputSize"] = (IntPtr)(delegate* unmanaged<float*, long, long, long, int*, int*, void>)&OutputSize,
        ["THSVision_GenerateAffineGrid"] = (IntPtr)(delegate* unmanaged<IntPtr, long, long, long, long, IntPtr>)&AffineGrid,
        ["THSVision_PerspectiveGrid"] = (IntPtr)(delegate* unmanaged<float*, long, long, long, sbyte, int, int, IntPtr>)&PerspectiveGrid,
        ["THSVision_RGB_BRGA"] = (IntPtr)(delegate* unmanaged<byte*, byte*, long, long, void>)&Join,
        ["THSVision_ScaleChannel"] = (IntPtr)(delegate* unmanaged<IntPtr, IntPtr>)&Equalize,
    };

    /// <summary>Throws the exception of the thread's last call, if it failed and the exception was not thrown before.</summary>
    internal static void ThrowFailure()
    {
        if (_failure is not { } failure) return;
        _failure = null;
        ExceptionDispatchInfo.Throw(failure);
    }

    [UnmanagedCallersOnly]
    private static IntPtr AdjustHue(IntPtr image, double change) => Run(() => Colors.AdjustHue(Read(image), change));

    [UnmanagedCallersOnly]
    private static IntPtr Equalize(IntPtr channel) => Run(() => Colors.Equalize(Read(channel)));

    [UnmanagedCallersOnly]
    private static IntPtr ApplyGrid(IntPtr image, IntPtr grid, sbyte mode, float* fill, long count) =>
        Run(() => Grids.Apply(Read(image), Read(grid), (InterpolationMode)mode, Read(fill, count)));

    [UnmanagedCallersOnly]
    private static IntPtr AffineGrid(IntPtr matrix, long width, long height, long outWidth, long outHeight) =>
        Run(() => Grids.Affine(Read(matrix), width, height, outWidth, outHeight));

    [UnmanagedCallersOnly]
    private static IntPtr PerspectiveGrid(float* coefficients, long count, long width, long height, sbyte type, int deviceType,
        int deviceIndex) =>
        Run(() => Grids.Perspective(
            Read(coefficients, count), width, height, (ScalarType)type, new Device((DeviceType)deviceType, deviceIndex)));

    [UnmanagedCallersOnly]
    private static void OutputSize(float* matrix, long count, long width, long height, int* outWidth, int* outHeight)
    {
        (*outWidth, *outHeight) = (0, 0);
        Run(() =>
        {
            var size = Grids.OutputSize(Read(matrix, count), width, height);
            (*outWidth, *outHeight) = (size[0].to_type(ScalarType.Int32).item<int>(), size[1].to_type(ScalarType.Int32).item<int>());
            return size;
        });
    }

    [UnmanagedCallersOnly]
    private static void Split(byte* pixels, byte* red, byte* green, byte* blue, long channels, long size) =>
        Pixels.Split(pixels, red, green, blue, null, channels, size);

    [UnmanagedCallersOnly]
    private static void SplitWithAlpha(byte* pixels, byte* red, byte* green, byte* blue, byte* alpha, long channels, long size) =>
        Pixels.Split(pixels, red, green, blue, alpha, channels, size);

    [UnmanagedCallersOnly]
    private static void Join(byte* planes, byte* pixels, long channels, long size) => Pixels.Join(planes, pixels, channels, size);

    private static IntPtr Run(Func<Tensor> function)
    {
        _failure = null;
        using var scope = NewDisposeScope();
        try
        {
            return function().NewHandle();
        }
        catch (Exception exception)
        {
            _failure = exception;
            return IntPtr.Zero;
        }
    }

    private static Tensor Read(IntPtr tensor) => Tensor.Own(Abi.NewHandle(tensor));

    private static float[] Read(float* values, long count) => new ReadOnlySpan<float>(values, checked((int)count)).ToArray();
}
