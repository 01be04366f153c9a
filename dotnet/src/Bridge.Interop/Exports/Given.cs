using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>What an export gives, as a Python object: a new reference each.</summary>
internal static unsafe class Given
{
    internal static IntPtr Int(long value) => Python.Number(value);

    internal static IntPtr Text(string value) => Python.Text(value);

    internal static IntPtr Bytes(byte[] value) => Python.Bytes(value);

    internal static IntPtr Bool(bool value)
    {
        var item = value ? Imports.True : Imports.False;
        Python.Increase(item);
        return item;
    }

    /// <summary>The bytes of a record of the manifest.</summary>
    internal static IntPtr Record<T>(T record) where T : unmanaged => Python.Bytes(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in record)));
}
