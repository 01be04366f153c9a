using System.Runtime.CompilerServices;
using Bridge.Hooks;
using Bridge.Torch.Native;

namespace Bridge.Torch;

/// <summary>The metadata of a tensor for a trace, which the caller keeps alive and unchanged meanwhile.</summary>
internal readonly unsafe ref struct RecordedTensor
{
    // Not inlined: the JIT does not inline native calls in the callers' try blocks.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal RecordedTensor(IntPtr handle)
    {
        long dims = 0;
        long* sizes = null;
        int dtype = 0, device = 0, index = -1;
        var failed = Abi.get_dim(handle, &dims);
        if (failed == 0) failed = Abi.get_sizes(handle, &sizes);
        if (failed == 0) failed = Abi.get_dtype(handle, &dtype);
        if (failed == 0) failed = Abi.get_device_type(handle, &device);
        // The devices CPU and meta have no index.
        if (failed == 0 && device is not ((int)TorchSharp.DeviceType.CPU or (int)TorchSharp.DeviceType.META))
            failed = Abi.get_device_index(handle, &index);
        Abi.Check(failed, "shape, dtype and device");
        DType = (sbyte)dtype;
        DeviceType = device;
        DeviceIndex = index;
        Sizes = new ReadOnlySpan<long>(sizes, (int)dims);
    }

    internal sbyte DType { get; }

    internal int DeviceType { get; }

    internal int DeviceIndex { get; }

    internal ReadOnlySpan<long> Sizes { get; }

    /// <summary>Adds the tensor's metadata to the last event.</summary>
    /// <param name="buffer">The buffer, which no other thread writes to now.</param>
    internal void Write(TraceBuffer buffer) => buffer.AddTensor(DType, DeviceType, DeviceIndex, Sizes, -1);
}
