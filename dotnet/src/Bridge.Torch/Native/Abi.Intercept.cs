using System.Runtime.InteropServices;

namespace Bridge.Torch.Native;

/// <summary>Something to run before each call that continues a computation.</summary>
internal static unsafe partial class Abi
{
    private static delegate* unmanaged<byte*, byte*, ulong*, ulong, int> _dispatch;
    private static delegate* unmanaged<IntPtr, int> _delete;
    private static delegate* unmanaged<IntPtr, IntPtr*, int> _new;
    private static Action? _before;

    /// <summary>From now on <paramref name="before"/> runs before every operator, and before a handle is made or freed.</summary>
    internal static void Intercept(Action before)
    {
        if (_before is not null) return;
        _before = before;
        _dispatch = call_dispatcher;
        _delete = delete_tensor;
        _new = new_tensor_handle;
        call_dispatcher = &Dispatch;
        delete_tensor = &Delete;
        new_tensor_handle = &New;
    }

    [UnmanagedCallersOnly]
    private static int Dispatch(byte* name, byte* overload, ulong* stack, ulong version)
    {
        _before!();
        return _dispatch(name, overload, stack, version);
    }

    [UnmanagedCallersOnly]
    private static int Delete(IntPtr handle)
    {
        _before!();
        return _delete(handle);
    }

    [UnmanagedCallersOnly]
    private static int New(IntPtr handle, IntPtr* copy)
    {
        _before!();
        return _new(handle, copy);
    }
}
