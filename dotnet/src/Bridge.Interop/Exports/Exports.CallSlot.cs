using System.Runtime.InteropServices;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    // A call with more arguments is no faster for it.
    private const int Most = 8;

    /// <summary>
    /// What CPython calls for a mirror, in the place of its own function that looks for <c>__call__</c>: a call that C# makes (<see cref="Call"/>) runs no Python, any other
    /// goes there. Gives a new reference to the result, or zero, and an error is pending.
    /// </summary>
    /// <param name="mirror">The mirror.</param>
    /// <param name="args">The tuple of the arguments by position.</param>
    /// <param name="kwargs">The dictionary of those by name; zero for none.</param>
    [UnmanagedCallersOnly]
    private static IntPtr EnterCallSlot(IntPtr mirror, IntPtr args, IntPtr kwargs)
    {
        var count = kwargs == IntPtr.Zero || *(nint*)(kwargs + (nint)Imports.CountOffset) == 0 ? (int)Imports.PyTuple_Size(args) : 0;
        if (count is > 0 and <= Most)
        {
            var given = stackalloc IntPtr[Most + 1];
            given[0] = mirror;
            for (var i = 0; i < count; i++) given[i + 1] = Imports.PyTuple_GetItem(args, i);
            // Nobody but the mirror has a say in a call with these, and what it may raise needs no name of an argument.
            if (Imports.FunctionMode != 0 && ArePlain(given + 1, count) && ((delegate* unmanaged[SuppressGCTransition]<byte>)Imports.FunctionMode)() == 0)
            {
                var result = Boundary.Run(&RunCall, given, count + 1);
                if (result != Imports.NotImplemented) return result;
                Python.Decrease(result);
            }
        }

        return ((delegate* unmanaged<IntPtr, IntPtr, IntPtr, IntPtr>)Imports.CallSlot)(mirror, args, kwargs);
    }
}
