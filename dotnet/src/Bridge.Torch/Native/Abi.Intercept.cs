using System.Runtime.InteropServices;

namespace Bridge.Torch.Native;

/// <summary>The interception of operator calls and of the deletion of handles.</summary>
internal static unsafe partial class Abi
{
    private static delegate* unmanaged<byte*, byte*, ulong*, ulong, int> _dispatch;
    private static delegate* unmanaged<IntPtr, int> _delete;
    private static Action? _before;

    /// <summary>Runs <paramref name="before"/> before every operator, and before a handle is freed, from now on.</summary>
    /// <remarks>
    /// <see cref="new_tensor_handle"/> is not intercepted: it is called without a GC transition, so no managed code may run below it.
    /// </remarks>
    internal static void Intercept(Action before)
    {
        if (_before is not null) return;
        _before = before;
        _dispatch = call_dispatcher;
        _delete = delete_tensor;
        // A function pointer is not a reference: without this barrier and its counterparts below, a thread could read the new pointer
        // before the fields written above.
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
