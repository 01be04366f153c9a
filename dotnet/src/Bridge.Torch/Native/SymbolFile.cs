using System.Runtime.InteropServices;
using System.Text;

namespace Bridge.Torch.Native;

/// <summary>Writes a shared library without code, whose symbols are addresses in this process (System V ABI, chapters 4 and 5).</summary>
internal static class SymbolFile
{
    private const int HeaderSize = 64, SegmentSize = 56, SymbolSize = 24, EntrySize = 16, Segments = 3, Align = 0x10000;
    private const int Load = 1, Dynamic = 2, Stack = 0x6474e551; // PT_LOAD, PT_DYNAMIC, PT_GNU_STACK
    private const int ReadWrite = 6; // the loader writes addresses into the dynamic section
    private const short Absolute = unchecked((short)0xfff1); // SHN_ABS: the loader does not add the library's base to the value

    /// <summary>Loads a library that has these symbols, and returns its handle.</summary>
    /// <param name="library">The path of a library that the loader searches for all other symbols; null for none.</param>
    /// <param name="symbols">The addresses of the symbols by name.</param>
    internal static IntPtr Open(string? library, IReadOnlyDictionary<string, IntPtr> symbols)
    {
        var file = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(file, Write(library, symbols));
            return NativeLibrary.Load(file);
        }
        finally
        {
            File.Delete(file);
        }
    }

    // Returns the bytes of a 64-bit ELF file.
    private static byte[] Write(string? library, IReadOnlyDictionary<string, IntPtr> symbols)
    {
        using var text = new MemoryStream();
        int Text(string value)
        {
            var start = (int)text.Length;
            text.Write([.. Encoding.UTF8.GetBytes(value), 0]);
            return start;
        }

        Text("");
        var needed = library is null ? 0 : Text(library);
        var names = symbols.Keys.Select(Text).ToArray();
        const int table = HeaderSize + Segments * SegmentSize;
        var hash = table + (symbols.Count + 1) * SymbolSize;
        // A hash table with one bucket, whose chain has all symbols.
        int[] chain = [1, symbols.Count + 1, 1, 0, .. Enumerable.Range(2, symbols.Count - 1), 0];
        var strings = hash + chain.Length * sizeof(int);
        var dynamic = (strings + (int)text.Length + 7) / 8 * 8;
        // DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_NEEDED, DT_NULL.
        // DT_NULL ends the table; without a library it replaces DT_NEEDED.
        (long Tag, long Value)[] entries =
            [(4, hash), (5, strings), (6, table), (10, text.Length), (11, SymbolSize), (needed == 0 ? 0 : 1, needed), (0, 0)];
        var end = dynamic + entries.Length * EntrySize;

        using var file = new MemoryStream();
        using var writer = new BinaryWriter(file);
        writer.Write([0x7f, .. "ELF"u8, 2, 1, 1, .. new byte[9]]);
        writer.Write((short)3); // ET_DYN
        writer.Write((short)(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 183 : 62));
        writer.Write(1);
        foreach (long place in (ReadOnlySpan<long>)[0, HeaderSize, 0]) writer.Write(place); // no entry point; segments; no sections
        writer.Write(0);
        foreach (short size in (ReadOnlySpan<short>)[HeaderSize, SegmentSize, Segments, 0, 0, 0]) writer.Write(size);
        foreach (var (kind, start, size, align) in new[] { (Load, 0, end, Align), (Dynamic, dynamic, end - dynamic, 8), (Stack, 0, 0, 16) })
        {
            writer.Write(kind);
            writer.Write(ReadWrite);
            foreach (long place in (ReadOnlySpan<long>)[start, start, start, size, size, align]) writer.Write(place);
        }

        writer.Write(new byte[SymbolSize]);
        foreach (var (name, address) in names.Zip(symbols.Values))
        {
            writer.Write(name);
            writer.Write((byte)0x12); // STB_GLOBAL, STT_FUNC
            writer.Write((byte)0);
            writer.Write(Absolute);
            writer.Write((long)address);
            writer.Write(0L);
        }

        foreach (var link in chain) writer.Write(link);
        writer.Write(text.ToArray());
        writer.Write(new byte[dynamic - file.Length]);
        foreach (var (tag, value) in entries)
        {
            writer.Write(tag);
            writer.Write(value);
        }

        return file.ToArray();
    }
}
