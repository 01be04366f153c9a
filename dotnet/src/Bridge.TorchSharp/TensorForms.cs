using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>Reads shape, element type and device from libtorch itself, by functions of its C interface that do nothing but look.</summary>
/// <remarks>
/// TorchSharp's members for the same take four to six calls with two changes of mode each, and ask after most of them whether there was an error:
/// half of what an event cost. A handle of TorchSharp's is a pointer to a tensor of libtorch's, which is what these functions take.
/// </remarks>
internal sealed unsafe class TensorForms
{
    // Looking for the library takes as long as some thousand events.
    private static readonly ConditionalWeakTable<Assembly, StrongBox<TensorForms?>> Known = [];

    // No change of mode: each returns after some nanoseconds, calls nothing of .NET and waits for nothing.
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, long*, int> _dim;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, long**, int> _sizes;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, int*, int> _dtype;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, int*, int> _deviceType;
    private readonly delegate* unmanaged[SuppressGCTransition]<nint, int*, int> _deviceIndex;

    private TensorForms(nint dim, nint sizes, nint dtype, nint deviceType, nint deviceIndex)
    {
        _dim = (delegate* unmanaged[SuppressGCTransition]<nint, long*, int>)dim;
        _sizes = (delegate* unmanaged[SuppressGCTransition]<nint, long**, int>)sizes;
        _dtype = (delegate* unmanaged[SuppressGCTransition]<nint, int*, int>)dtype;
        _deviceType = (delegate* unmanaged[SuppressGCTransition]<nint, int*, int>)deviceType;
        _deviceIndex = (delegate* unmanaged[SuppressGCTransition]<nint, int*, int>)deviceIndex;
    }

    /// <summary>Those of the libtorch that a TorchSharp runs on; null where they cannot be found, and its own members have to do.</summary>
    /// <param name="torchSharp">Its assembly, which has made a tensor: else this might load another libtorch than it would.</param>
    internal static TensorForms? Of(Assembly torchSharp) => Known.GetValue(torchSharp, Find).Value;

    /// <summary>Those of a library, or of one that it was linked with; null where it lacks some.</summary>
    internal static TensorForms? Of(nint library)
    {
        return Has("dim", out var dim) && Has("sizes", out var sizes) && Has("dtype", out var dtype) && Has("device_type", out var deviceType) && Has("device_index", out var deviceIndex)
            ? new(dim, sizes, dtype, deviceType, deviceIndex)
            : null;

        bool Has(string what, out nint found) => NativeLibrary.TryGetExport(library, $"aoti_torch_get_{what}", out found);
    }

    private static StrongBox<TensorForms?> Find(Assembly torchSharp) => new(NativeLibrary.TryLoad("LibTorchSharp", torchSharp, null, out var library) ? Of(library) : null);

    /// <summary>Adds a tensor; false for one that has no such form, of which nothing is added.</summary>
    /// <param name="tensor">A pointer to it.</param>
    /// <param name="leaves">Takes it.</param>
    internal bool TryAdd(nint tensor, Leaves leaves)
    {
        long dims;
        long* sizes;
        int type, device, index = -1;
        if ((_dim(tensor, &dims) | _sizes(tensor, &sizes) | _dtype(tensor, &type) | _deviceType(tensor, &device)) != 0) return false;
        if (device != 0 && _deviceIndex(tensor, &index) != 0) return false;
        leaves.AddTensor(type, device, index, new(sizes, (int)dims));
        return true;
    }
}
