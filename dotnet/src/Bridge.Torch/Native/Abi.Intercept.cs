using System.Runtime.InteropServices;

namespace Bridge.Torch.Native;

/// <summary>Something to run before each call that continues a computation.</summary>
internal static unsafe partial class Abi
{
    private static delegate* unmanaged<byte*, byte*, ulong*, ulong, int> _dispatch;
    private static delegate* unmanaged<IntPtr, int> _delete;
    private static Action? _before;

    /// <summary>From now on <paramref name="before"/> runs before every operator, and before a handle is freed.</summary>
    /// <remarks>Making a handle is left out: it is called without a transition, below which no C# may run, and does not wait (<see cref="new_tensor_handle"/>).</remarks>
    internal static void Intercept(Action before)
    {
        if (_before is not null) return;
        _before = before;
        _dispatch = call_dispatcher;
        _delete = delete_tensor;
        // A function pointer is no reference: without this, and its counterpart in what it leads to, a thread could find the pointer and not what was
        // written before it.
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
