using System.Runtime.InteropServices;

namespace Bridge.Torch.Native;

// The interception of operator calls and of the deletion of handles.
internal static unsafe partial class Abi
{
    private static delegate* unmanaged<byte*, byte*, ulong*, ulong, int> _dispatch;
    private static delegate* unmanaged<IntPtr, int> _delete;
    private static Action? _before;

    /// <summary>
    /// Makes an action run before each call of <see cref="call_dispatcher"/>, by which C# calls most operators, and of
    /// <see cref="delete_tensor"/>. Only the first call of this method has an effect.
    /// </summary>
    /// <remarks>
    /// <see cref="new_tensor_handle"/> is not intercepted: it is called without a GC transition, so it must not call managed code.
    /// </remarks>
    internal static void Intercept(Action before)
    {
        if (_before is not null) return;
        _before = before;
        _dispatch = call_dispatcher;
        _delete = delete_tensor;
        // In .NET, a write of a reference has release semantics, but a write of a function pointer does not. Without this barrier and
        // those in the two functions below, a thread could read the new function pointers, but the old values of the fields above.
        Interlocked.MemoryBarrier();
        call_dispatcher = &Dispatch;
        delete_tensor = &Delete;
    }

    [UnmanagedCallersOnly]
    private static int Dispatch(byte* name, byte* overload, ulong* stack, ulong version)
    {
        Interlocked.MemoryBarrier();
        _before!();
        return _dispatch(name, overload, stack, version);
    }

    [UnmanagedCallersOnly]
    private static int Delete(IntPtr handle)
    {
        Interlocked.MemoryBarrier();
        _before!();
        return _delete(handle);
    }
}
