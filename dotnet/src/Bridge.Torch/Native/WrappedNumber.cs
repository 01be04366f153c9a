using static TorchSharp.torch;

namespace Bridge.Torch.Native;

/// <summary>
/// A tensor of no dimensions that stands for a number beside another one, as PyTorch makes it of a number of Python's: it has no say in the
/// type of the result, and <c>saved_tensors_hooks</c>, so a checkpoint too, do not see it.
/// </summary>
/// <remarks>Only a bit in libtorch's own object tells, which its stable interface cannot set. Python knows where it is (bridge/clr/start/capi.py).</remarks>
internal static unsafe class WrappedNumber
{
    private static nint _offset;
    private static byte _mask;

    /// <summary>Where the bit is; zeros if that is unknown.</summary>
    internal static void Know(long offset, long mask) => (_offset, _mask) = ((nint)offset, (byte)mask);

    /// <summary>Not without Python.</summary>
    internal static bool IsKnown => _mask != 0;

    /// <summary>Makes a number of a tensor that nobody else has seen.</summary>
    internal static Tensor Mark(Tensor number)
    {
        using var lease = number.Lease();
        // A handle is the address of an at::Tensor, whose only field is the address of its TensorImpl.
        (*(byte**)lease.Handle)[_offset] |= _mask;
        return number;
    }
}
