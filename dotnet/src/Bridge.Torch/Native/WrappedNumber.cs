using static TorchSharp.torch;

namespace Bridge.Torch.Native;

/// <summary>
/// The flag that PyTorch sets on a 0-dim tensor made from a Python number. Such a tensor promotes the result's type as a number does, and
/// <c>saved_tensors_hooks</c>, which checkpointing uses, do not get the tensor.
/// </summary>
/// <remarks>
/// The flag is a bit in libtorch's tensor object. The stable ABI cannot set the bit. Python finds the bit's offset in the object
/// (bridge/clr/start/capi.py).
/// </remarks>
internal static unsafe class WrappedNumber
{
    private static nint _offset;
    private static byte _mask;

    /// <summary>Sets the location of the bit; zeros if it is unknown.</summary>
    internal static void Know(long offset, long mask) => (_offset, _mask) = ((nint)offset, (byte)mask);

    /// <summary>Gets whether the location is known; false without Python.</summary>
    internal static bool IsKnown => _mask != 0;

    /// <summary>Sets the flag of a tensor to which no other code refers.</summary>
    internal static Tensor Mark(Tensor number)
    {
        using var lease = number.Lease();
        // A handle is the address of an at::Tensor, whose only field is the address of its TensorImpl.
        (*(byte**)lease.Handle)[_offset] |= _mask;
        return number;
    }
}
