using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Bridge.Torch.Native;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>Keeps pinned arrays and other memory alive while libtorch uses them.</summary>
/// <remarks>
/// libtorch may free memory on any thread and at any time, even with the GIL held, in a Python finalizer or while the process exits. A
/// deleter must therefore not run .NET code. The deleter used here is a function of the C library that writes known words to memory
/// (<see cref="BlobDeleter"/>). Once the words are written, the next use of this class, or the next call between Python and C#, unpins the
/// array.
/// </remarks>
internal static unsafe class SharedArray
{
    private static readonly ConcurrentDictionary<BlobDeleter, Action> Lent = new();
    private static int _count;
    private static int _releasing;

    /// <summary>Gets the number of arrays and other memory blocks that libtorch may still use.</summary>
    internal static int Count => Volatile.Read(ref _count);

    /// <summary>Returns a 1-dim tensor over a part of the array; before torch 2.11 or without glibc, over a copy.</summary>
    /// <exception cref="ArgumentException">.NET cannot pin the array.</exception>
    /// <exception cref="NotSupportedException">
    /// No tensor has the array's element type, or the part has complex numbers at an address that is not a multiple of 16.
    /// </exception>
    internal static Tensor Share(Array array, long offset, long count)
    {
        Release();
        var (type, size) = ElementOf(array.GetType().GetElementType()!);
        GCHandle pin;
        try
        {
            pin = GCHandle.Alloc(array, GCHandleType.Pinned);
        }
        catch (ArgumentException)
        {
            throw new ArgumentException(
                $"The memory of a {array.GetType().Name} cannot be shared: .NET cannot pin it. Use torch.from_array, which copies.",
                nameof(array));
        }

        var start = pin.AddrOfPinnedObject() + (nint)(offset * size);
        // libtorch's instructions for complex128 crash at an address that is not a multiple of 16. PyTorch's frombuffer has the same fault.
        if (size == 16 && start % 16 != 0)
        {
            pin.Free();
            throw new NotSupportedException(
                "libtorch needs complex numbers at an address that is a multiple of 16. Use torch.from_array, which copies this array.");
        }

        return Share((void*)start, type, [count], pin.Free) ?? Copied();

        Tensor Copied()
        {
            try
            {
                var (sizes, stride) = (count, 1L);
                IntPtr handle;
                Abi.Check(Abi.from_blob((void*)start, 1, &sizes, &stride, 0, (int)type, (int)DeviceType.CPU, -1, &handle, 0, null, 0),
                    "frombuffer");
                using var over = Tensor.Own(handle);
                return over.clone();
            }
            finally
            {
                pin.Free();
            }
        }
    }

    /// <summary>
    /// Returns a tensor in C order over memory. Once libtorch no longer uses the memory, a later <see cref="Release"/> calls
    /// <c>release</c>. If an exception is thrown, this method calls it. Before torch 2.11 or without glibc, returns null, and
    /// <c>release</c> is never called.
    /// </summary>
    internal static Tensor? Share(void* start, ScalarType type, long[] shape, Action release)
    {
        if (Abi.blob_with_deleter is null || BlobDeleter.Function is null) return null;
        Release();
        var strides = new long[shape.Length];
        for (var (dim, step) = (shape.Length - 1, 1L); dim >= 0; step *= Math.Max(shape[dim--], 1)) strides[dim] = step;
        var deleter = new BlobDeleter(start);
        IntPtr handle;
        var code = 1;
        try
        {
            fixed (long* sizes = shape, steps = strides)
                code = Abi.blob_with_deleter(start, shape.Length, sizes, steps, 0, (int)type, (int)DeviceType.CPU, -1, &handle, 0, null, 0,
                    BlobDeleter.Function, deleter.Context);
            Abi.Check(code, "frombuffer");
        }
        finally
        {
            if (code != 0)
            {
                // libtorch has called the deleter by now or never will.
                deleter.Free();
                release();
            }
        }

        Lent[deleter] = release;
        Interlocked.Increment(ref _count);
        return Tensor.Own(handle);
    }

    // Returns libtorch's type and the size of an element in bytes.
    private static (ScalarType Type, int Size) ElementOf(Type element) =>
        element == typeof(bool) ? (ScalarType.Bool, 1)
        : element == typeof(byte) ? (ScalarType.Byte, 1)
        : element == typeof(sbyte) ? (ScalarType.Int8, 1)
        : element == typeof(short) ? (ScalarType.Int16, 2)
        : element == typeof(int) ? (ScalarType.Int32, 4)
        : element == typeof(long) ? (ScalarType.Int64, 8)
        : element == typeof(Half) ? (ScalarType.Float16, 2)
        : element == typeof(BFloat16) ? (ScalarType.BFloat16, 2)
        : element == typeof(float) ? (ScalarType.Float32, 4)
        : element == typeof(double) ? (ScalarType.Float64, 8)
        : element == typeof(System.Numerics.Complex) ? (ScalarType.ComplexFloat64, 16)
        : throw new NotSupportedException($"No tensor can share the memory of a {element.Name}[].");

    /// <summary>Releases the memory whose deleter libtorch has called.</summary>
    internal static void Release()
    {
        // One thread at a time: a second thread could read the context of a deleter that the first has freed.
        if (Volatile.Read(ref _count) == 0 || Interlocked.Exchange(ref _releasing, 1) != 0) return;
        try
        {
            foreach (var (deleter, _) in Lent)
            {
                if (!deleter.WasCalled || !Lent.TryRemove(deleter, out var release)) continue;
                Interlocked.Decrement(ref _count);
                deleter.Free();
                release();
            }
        }
        finally
        {
            Volatile.Write(ref _releasing, 0);
        }
    }
}
