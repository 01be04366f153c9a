using Bridge.Hooks;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>What a trace has of a tensor besides its elements; the tensor is kept from being freed until <see cref="Dispose"/>.</summary>
internal readonly unsafe ref struct RecordedTensor
{
    private readonly HandleLease _lease;

    internal RecordedTensor(torch.Tensor tensor)
    {
        long dims;
        long* sizes;
        int dtype, device, index;
        _lease = tensor.Lease();
        try
        {
            var handle = _lease.Handle;
            Abi.Check(Abi.get_dim(handle, &dims), "dim");
            Abi.Check(Abi.get_sizes(handle, &sizes), "shape");
            Abi.Check(Abi.get_dtype(handle, &dtype), "dtype");
            Abi.Check(Abi.get_device_type(handle, &device), "device_type");
            Abi.Check(Abi.get_device_index(handle, &index), "device_index");
        }
        catch
        {
            _lease.Dispose();
            throw;
        }

        DType = (sbyte)dtype;
        DeviceType = device;
        DeviceIndex = index;
        Sizes = new ReadOnlySpan<long>(sizes, (int)dims);
    }

    internal sbyte DType { get; }

    internal int DeviceType { get; }

    internal int DeviceIndex { get; }

    internal ReadOnlySpan<long> Sizes { get; }

    /// <summary>Adds the tensor, without elements, to the last event.</summary>
    /// <param name="buffer">The buffer, which no other thread writes to now.</param>
    internal void Write(TraceBuffer buffer) => buffer.AddTensor(DType, DeviceType, DeviceIndex, Sizes, -1);

    /// <summary>The tensor may be freed.</summary>
    public void Dispose() => _lease.Dispose();
}
