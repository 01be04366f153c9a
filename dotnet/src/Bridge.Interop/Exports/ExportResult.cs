using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>Converts the results of exports to Python objects.</summary>
internal static unsafe class ExportResult
{
    internal static OwnedReference Int(long value) => Python.NewInt(value);

    internal static OwnedReference Text(string value) => Python.NewText(value);

    internal static OwnedReference Bytes(byte[] value) => Python.NewBytes(value);

    internal static OwnedReference Bool(bool value) => (value ? Imports.True : Imports.False).NewReference();

    /// <summary>Returns the bytes of a record that <c>bridge/clr/call/boundary.json</c> declares.</summary>
    internal static OwnedReference Record<T>(T record) where T : unmanaged =>
        Python.NewBytes(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in record)));
}
