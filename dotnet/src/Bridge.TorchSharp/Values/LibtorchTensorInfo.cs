using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>Reads the shape, element type and device of tensors with libtorch's C functions.</summary>
/// <remarks>
/// TorchSharp's own properties would take four to six P/Invoke calls with two GC transitions each, half of the cost of recording an event.
/// A handle of TorchSharp is a pointer to libtorch's tensor, and these functions take such a pointer.
/// </remarks>
internal sealed unsafe class LibtorchTensorInfo
{
    // Cached, because finding the library takes as long as recording a thousand events.
    private static readonly ConditionalWeakTable<Assembly, StrongBox<LibtorchTensorInfo?>> Known = [];

    // Called without a GC transition: each function returns within nanoseconds, does not block, and does not call .NET.
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, long*, int> _dim;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, long**, int> _sizes;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, int*, int> _dtype;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, int*, int> _deviceType;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, int*, int> _deviceIndex;

    private LibtorchTensorInfo(nint dim, nint sizes, nint dtype, nint deviceType, nint deviceIndex)
    {
        _dim = (delegate* unmanaged[SuppressGCTransition]<nint, long*, int>)dim;
        _sizes = (delegate* unmanaged[SuppressGCTransition]<nint, long**, int>)sizes;
        _dtype = (delegate* unmanaged[SuppressGCTransition]<nint, int*, int>)dtype;
        _deviceType = (delegate* unmanaged[SuppressGCTransition]<nint, int*, int>)deviceType;
        _deviceIndex = (delegate* unmanaged[SuppressGCTransition]<nint, int*, int>)deviceIndex;
    }

    /// <summary>Binds the functions of TorchSharp's libtorch; returns null if they are not found.</summary>
    /// <param name="torchSharp">
    /// TorchSharp, which must have created a tensor: otherwise, this method might load another libtorch than TorchSharp would.
    /// </param>
    internal static LibtorchTensorInfo? TryBind(Assembly torchSharp) => Known.GetValue(torchSharp, Find).Value;

    /// <summary>Binds the functions of a library or its dependencies; returns null if a function is missing.</summary>
    internal static LibtorchTensorInfo? TryBind(nint library)
    {
        if (!Has("dim", out var dim) || !Has("sizes", out var sizes) || !Has("dtype", out var dtype)) return null;
        if (!Has("device_type", out var deviceType) || !Has("device_index", out var deviceIndex)) return null;
        return new(dim, sizes, dtype, deviceType, deviceIndex);

        bool Has(string name, out nint found) => NativeLibrary.TryGetExport(library, $"aoti_torch_get_{name}", out found);
    }

    private static StrongBox<LibtorchTensorInfo?> Find(Assembly torchSharp) =>
        new(TryLoad(torchSharp, out var library) ? TryBind(library) : null);

    // Windows does not search the dependencies of a library. There, the name alone gives the library that TorchSharp has loaded.
    private static bool TryLoad(Assembly torchSharp, out nint library) => OperatingSystem.IsWindows()
        ? NativeLibrary.TryLoad("torch_cpu.dll", out library) : NativeLibrary.TryLoad("LibTorchSharp", torchSharp, null, out library);

    /// <summary>Reads a tensor; returns false if a function fails.</summary>
    /// <param name="tensor">A pointer to the tensor.</param>
    /// <param name="kind">The element type and the device of the tensor, if they are known; otherwise, they are read.</param>
    /// <param name="info">The result, which refers to the tensor's memory.</param>
    [SkipLocalsInit]
    internal bool TryRead(nint tensor, ref TensorKind kind, out TensorInfo info)
    {
        long dims;
        long* sizes;
        Unsafe.SkipInit(out info);
        if ((_dim(tensor, &dims) | _sizes(tensor, &sizes)) != 0 || (kind.IsUnknown && !TryRead(tensor, out kind))) return false;
        info = new(kind, (int)dims, sizes);
        return true;
    }

    private bool TryRead(nint tensor, out TensorKind kind)
    {
        int type, device, index = -1;
        kind = default;
        if ((_dtype(tensor, &type) | _deviceType(tensor, &device)) != 0) return false;
        if (device != 0 && _deviceIndex(tensor, &index) != 0) return false;
        kind = new(type, device, index);
        return true;
    }
}
