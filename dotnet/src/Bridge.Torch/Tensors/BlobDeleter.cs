using System.Runtime.InteropServices;

namespace Bridge.Torch;

/// <summary>Memory that libtorch uses, and what says that it does not any more.</summary>
/// <remarks>
/// The deleter is glibc's <c>srand48_r(long seed, struct drand48_data*)</c>: the address of the memory is the seed, and the structure has three words. It calls
/// nothing, and what it writes depends on the seed alone. So all of it is known before, each bit is the opposite until then, and when none is any more there is
/// no write left that the thread, wherever it was interrupted, has still to do.
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
        // What is other after zeros than after ones was not written.
        ulong* zeros = stackalloc ulong[Words], ones = stackalloc ulong[Words];
        new Span<ulong>(zeros, Words).Clear();
        new Span<ulong>(ones, Words).Fill(ulong.MaxValue);
        Function(memory, zeros);
        Function(memory, ones);
        for (var i = 0; i < Words; i++) (_final[i], _writtenMask[i], Context[i]) = (zeros[i], ~(zeros[i] ^ ones[i]), ~zeros[i]);
    }

    /// <summary>What libtorch is to call with the address of the memory and with <see cref="Context"/>; null where there is no such function.</summary>
    internal static delegate* unmanaged<void*, void*, int> Function { get; } = Find();

    /// <summary>Where it writes.</summary>
    internal ulong* Context { get; }

    /// <summary>libtorch has called the deleter, which writes nothing any more.</summary>
    internal bool WasCalled
    {
        get
        {
            // Acquire: what is done with the memory after this comes after what libtorch did with it.
            for (var i = 0; i < Words; i++)
                if (((Volatile.Read(ref Context[i]) ^ _final[i]) & _writtenMask[i]) != 0) return false;
            return true;
        }
    }

    /// <summary>Nobody asks any more.</summary>
    internal void Free() => NativeMemory.Free(Context);

    private static delegate* unmanaged<void*, void*, int> Find() =>
        OperatingSystem.IsLinux() && NativeLibrary.TryLoad("libc.so.6", out var libc) && NativeLibrary.TryGetExport(libc, "srand48_r", out var found)
            ? (delegate* unmanaged<void*, void*, int>)found
            : null;
}
