using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Reads the version counters of tensors, <c>_version</c> in PyTorch, for which TorchSharp has no member.</summary>
internal sealed unsafe class TensorVersions
{
    private readonly delegate* unmanaged<IntPtr, long> _version;
    private readonly delegate* unmanaged<IntPtr, byte> _isInference;

    private TensorVersions(nint version, nint isInference)
    {
        _version = (delegate* unmanaged<IntPtr, long>)version;
        _isInference = (delegate* unmanaged<IntPtr, byte>)isInference;
    }

    /// <summary>Binds the functions of a loaded libtorch; returns null if libtorch does not export them.</summary>
    internal static TensorVersions? TryBind(nint libtorch) =>
        libtorch != 0
        && NativeLibrary.TryGetExport(libtorch, "_ZN2at6native8_versionERKNS_6TensorE", out var version)
        && NativeLibrary.TryGetExport(libtorch, "_ZN2at6native12is_inferenceERKNS_6TensorE", out var isInference)
            ? new(version, isInference)
            : null;

    /// <summary>Returns the version of the tensor with this handle; 0 for an inference tensor.</summary>
    /// <remarks>For an inference tensor, libtorch's function would throw, which would end the process.</remarks>
    internal long Version(IntPtr handle) => _isInference(handle) != 0 ? 0 : _version(handle);
}
