using static TorchSharp.torch;

namespace Bridge.Torch.Native;

/// <summary>
/// The mark of a 0-dim tensor as a wrapped number, as PyTorch makes it from a Python number: it does not affect the result's type, and
/// <c>saved_tensors_hooks</c>, and so a checkpoint, do not see it.
/// </summary>
/// <remarks>
/// The mark is a bit in libtorch's tensor object, which the stable ABI cannot set. Python finds its address (bridge/clr/start/capi.py).
/// </remarks>
internal static unsafe class WrappedNumber
{
    private static nint _offset;
    private static byte _mask;

    /// <summary>Sets the location of the bit; zeros if it is unknown.</summary>
    internal static void Know(long offset, long mask) => (_offset, _mask) = ((nint)offset, (byte)mask);

    /// <summary>Gets whether the location is known; false without Python.</summary>
    internal static bool IsKnown => _mask != 0;

    /// <summary>Marks a tensor that no other code has seen.</summary>
    internal static Tensor Mark(Tensor number)
    {
        using var lease = number.Lease();
        // A handle is the address of an at::Tensor, whose only field is the address of its TensorImpl.
        (*(byte**)lease.Handle)[_offset] |= _mask;
        return number;
    }
}
