using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Reads how often a tensor was written to in place: PyTorch's <c>_version</c>, which TorchSharp has no member for.</summary>
internal sealed unsafe class TensorVersions
{
    private readonly delegate* unmanaged<IntPtr, long> _version;
    private readonly delegate* unmanaged<IntPtr, byte> _isInference;

    private TensorVersions(nint version, nint isInference)
    {
        _version = (delegate* unmanaged<IntPtr, long>)version;
        _isInference = (delegate* unmanaged<IntPtr, byte>)isInference;
    }

    /// <summary>That of a libtorch; null where it has no such functions under these names.</summary>
    internal static TensorVersions? Of(nint libtorch) =>
        libtorch != 0
        && NativeLibrary.TryGetExport(libtorch, "_ZN2at6native8_versionERKNS_6TensorE", out var version)
        && NativeLibrary.TryGetExport(libtorch, "_ZN2at6native12is_inferenceERKNS_6TensorE", out var isInference)
            ? new(version, isInference)
            : null;

    /// <summary>That of a tensor, by its handle; one of inference mode counts nothing, and asking it would end the process.</summary>
    internal long Version(IntPtr handle) => _isInference(handle) != 0 ? 0 : _version(handle);
}
