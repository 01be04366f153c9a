using System.Runtime.InteropServices;

namespace Bridge.Torch;

/// <summary>A deleter for memory that libtorch uses. It frees nothing; the words that it writes show that libtorch has called it.</summary>
/// <remarks>
/// The deleter is glibc's <c>srand48_r(long seed, struct drand48_data*)</c>, which calls no .NET code. The seed is the address of the
/// memory. The structure has three words. The call writes some of their bits, to values that depend on the seed alone. Each of these bits
/// is first set to the opposite of the value that the call will write. When all of them have the expected values, the call has finished.
/// </remarks>
internal sealed unsafe class BlobDeleter
{
    private const int Words = 3;

    private readonly ulong[] _final = new ulong[Words];
    private readonly ulong[] _writtenMask = new ulong[Words];

    /// <param name="memory">The address of the memory.</param>
    internal BlobDeleter(void* memory)
    {
        Context = (ulong*)NativeMemory.Alloc(Words, sizeof(ulong));
        // A bit that differs between a call on zeros and a call on ones is not written.
        ulong* zeros = stackalloc ulong[Words], ones = stackalloc ulong[Words];
        new Span<ulong>(zeros, Words).Clear();
        new Span<ulong>(ones, Words).Fill(ulong.MaxValue);
        Function(memory, zeros);
        Function(memory, ones);
        for (var i = 0; i < Words; i++) (_final[i], _writtenMask[i], Context[i]) = (zeros[i], ~(zeros[i] ^ ones[i]), ~zeros[i]);
    }

    /// <summary>
    /// Gets the function that libtorch calls with the address of the memory and <see cref="Context"/>; null without glibc.
    /// </summary>
    internal static delegate* unmanaged<void*, void*, int> Function { get; } = Find();

    /// <summary>Gets the memory that the function writes.</summary>
    internal ulong* Context { get; }

    /// <summary>Gets whether libtorch has called the deleter, and the deleter has finished.</summary>
    internal bool WasCalled
    {
        get
        {
            // Reads with acquire semantics: the caller's later uses of the memory come after libtorch's.
            for (var i = 0; i < Words; i++)
                if (((Volatile.Read(ref Context[i]) ^ _final[i]) & _writtenMask[i]) != 0) return false;
            return true;
        }
    }

    internal void Free() => NativeMemory.Free(Context);

    private static delegate* unmanaged<void*, void*, int> Find() =>
        OperatingSystem.IsLinux() && NativeLibrary.TryLoad("libc.so.6", out var libc)
            && NativeLibrary.TryGetExport(libc, "srand48_r", out var found)
            ? (delegate* unmanaged<void*, void*, int>)found
            : null;
}
