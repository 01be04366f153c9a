using Bridge.Hooks;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The metadata of a tensor for a trace. The tensor is not freed before <see cref="Dispose"/>.</summary>
internal readonly unsafe ref struct RecordedTensor
{
    private readonly HandleLease _lease;

    internal RecordedTensor(torch.Tensor tensor)
    {
        long dims = 0;
        long* sizes = null;
        int dtype = 0, device = 0, index = -1;
        var lease = tensor.Lease();
        var handle = lease.Handle;
        // No try block is used here: the JIT does not inline native calls in a try block.
        var failed = Abi.get_dim(handle, &dims);
        if (failed == 0) failed = Abi.get_sizes(handle, &sizes);
        if (failed == 0) failed = Abi.get_dtype(handle, &dtype);
        if (failed == 0) failed = Abi.get_device_type(handle, &device);
        // The devices CPU and meta have no index.
        if (failed == 0 && device is not ((int)TorchSharp.DeviceType.CPU or (int)TorchSharp.DeviceType.META))
            failed = Abi.get_device_index(handle, &index);
        if (failed != 0)
        {
            lease.Dispose();
            Abi.Check(failed, "shape, dtype and device");
        }

        _lease = lease;
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

    public void Dispose() => _lease.Dispose();
}
