using System.Runtime.InteropServices;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    // A call with more arguments gains nothing from the fast path.
    private const int MaxFastArguments = 8;

    /// <summary>
    /// Calls a mirror, the Python module of a C# module. This is the <c>tp_call</c> of the mirror's class. <see cref="Call"/> makes the
    /// call if it can. Otherwise CPython's own <c>tp_call</c> runs, which looks up <c>__call__</c>.
    /// </summary>
    /// <returns>A new reference to the result; zero if an error is pending.</returns>
    [UnmanagedCallersOnly]
    private static IntPtr EnterCallSlot(IntPtr mirror, IntPtr args, IntPtr kwargs)
    {
        var tuple = new BorrowedReference(args);
        var count = kwargs == IntPtr.Zero || Python.CountOf(new(kwargs)) == 0 ? (int)Imports.PyTuple_Size(tuple) : 0;
        if (count is > 0 and <= MaxFastArguments)
        {
            var arguments = stackalloc BorrowedReference[MaxFastArguments + 1];
            arguments[0] = new(mirror);
            for (var i = 0; i < count; i++) arguments[i + 1] = Imports.PyTuple_GetItem(tuple, i);
            // Simple arguments do not override __torch_function__, and always convert to C#.
            if (Imports.FunctionMode != 0 && AreSimple(arguments + 1, count)
                && ((delegate* unmanaged[SuppressGCTransition]<byte>)Imports.FunctionMode)() == 0)
            {
                var result = new OwnedReference(Boundary.Run(&RunCall, arguments, count + 1));
                if (result.Borrow() != Imports.NotImplemented) return result.Steal();
                result.Dispose();
            }
        }

        return ((delegate* unmanaged<IntPtr, IntPtr, IntPtr, IntPtr>)Imports.CallSlot)(mirror, args, kwargs);
    }
}
