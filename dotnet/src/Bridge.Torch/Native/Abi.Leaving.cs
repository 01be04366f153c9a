using System.Runtime.InteropServices;

namespace Bridge.Torch.Native;

/// <summary>The end of the process, with threads of .NET's own still computing.</summary>
/// <remarks>
/// When Python is done the C runtime takes libtorch apart, whoever is in it: an operator that runs then ends the process by a signal instead of
/// its own exit code. So the entries by which a computation goes on are replaced by ones that put a thread that is not Python's to sleep.
/// </remarks>
internal static unsafe partial class Abi
{
    private static delegate* unmanaged<byte*, byte*, ulong*, ulong, int> _dispatch;
    private static delegate* unmanaged<IntPtr, int> _delete;
    private static delegate* unmanaged<IntPtr, IntPtr*, int> _new;
    private static Func<bool>? _mayGoOn;

    /// <summary>From now on a thread for which <paramref name="mayGoOn"/> is false sleeps in its next call.</summary>
    internal static void StopOthers(Func<bool> mayGoOn)
    {
        if (_mayGoOn is not null) return;
        _mayGoOn = mayGoOn;
        _dispatch = call_dispatcher;
        _delete = delete_tensor;
        _new = new_tensor_handle;
        call_dispatcher = &Dispatch;
        delete_tensor = &Delete;
        new_tensor_handle = &New;
    }

    private static void Stop()
    {
        if (!_mayGoOn!()) Thread.Sleep(Timeout.Infinite);
    }

    [UnmanagedCallersOnly]
    private static int Dispatch(byte* name, byte* overload, ulong* stack, ulong version)
    {
        Stop();
        return _dispatch(name, overload, stack, version);
    }

    [UnmanagedCallersOnly]
    private static int Delete(IntPtr handle)
    {
        Stop();
        return _delete(handle);
    }

    [UnmanagedCallersOnly]
    private static int New(IntPtr handle, IntPtr* copy)
    {
        Stop();
        return _new(handle, copy);
    }
}
