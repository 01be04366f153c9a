using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public partial class Tensor
    {
        /// <summary>Writes the bytes of a contiguous tensor on the CPU.</summary>
        /// <param name="stream">The stream to write to.</param>
        /// <param name="bufferSize">The maximum number of bytes per transfer.</param>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not a contiguous CPU tensor, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="bufferSize"/> is less than 1.</exception>
        public void WriteBytesToStream(Stream stream, int bufferSize = 1024)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(bufferSize, 1);
            var left = (ReadOnlySpan<byte>)Block(write: false);
            for (; left.Length > 0; left = left[Math.Min(left.Length, bufferSize)..])
                stream.Write(left[..Math.Min(left.Length, bufferSize)]);
        }

        /// <summary>Overwrites the bytes of a contiguous tensor on the CPU.</summary>
        /// <param name="stream">The stream to read from.</param>
        /// <param name="bufferSize">The maximum number of bytes per transfer.</param>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not a contiguous CPU tensor, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="EndOfStreamException">The stream has fewer bytes.</exception>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="bufferSize"/> is less than 1.</exception>
        public void ReadBytesFromStream(Stream stream, int bufferSize = 1024)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(bufferSize, 1);
            for (var left = bytes; left.Length > 0; left = left[Math.Min(left.Length, bufferSize)..])
                stream.ReadExactly(left[..Math.Min(left.Length, bufferSize)]);
        }

        /// <summary>Returns the element of a float64 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public double ReadCpuDouble(long i) => ReadCpuValue<double>(i);

        /// <summary>Returns the element of a float32 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public float ReadCpuSingle(long i) => ReadCpuValue<float>(i);

        /// <summary>Returns the element of an int32 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public int ReadCpuInt32(long i) => ReadCpuValue<int>(i);

        /// <summary>Returns the element of an int64 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public long ReadCpuInt64(long i) => ReadCpuValue<long>(i);

        /// <summary>Returns the element of a uint8 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public byte ReadCpuByte(long i) => ReadCpuValue<byte>(i);

        /// <summary>Returns the element of an int8 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public sbyte ReadCpuSByte(long i) => ReadCpuValue<sbyte>(i);

        /// <summary>Returns the element of an int16 tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public short ReadCpuInt16(long i) => ReadCpuValue<short>(i);

        /// <summary>Returns the element of a bool tensor at an index in C order.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The boolean.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public bool ReadCpuBool(long i) => ReadCpuValue<bool>(i);

        /// <summary>Returns the element of a float16 tensor at an index in C order, as a float.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public float ReadCpuFloat16(long i) => (float)ReadCpuValue<Half>(i);

        /// <summary>Returns the element of a tensor at an index in C order, converted to a float; the tensor may have any type.</summary>
        /// <param name="i">The index.</param>
        /// <returns>The number.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public float ReadCpuBFloat16(long i)
        {
            using var wide = to_type(ScalarType.Float32);
            return wide.ReadCpuValue<float>(i);
        }

        /// <summary>Returns the element at an index in C order.</summary>
        /// <typeparam name="T">The element type, which must be the tensor's.</typeparam>
        /// <param name="i">The index.</param>
        /// <returns>The element.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor is not on the CPU, or its memory does not hold its elements (see <see cref="bytes"/>).
        /// </exception>
        /// <exception cref="ArgumentException">The tensor has another element type.</exception>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        public T ReadCpuValue<T>(long i) where T : unmanaged
        {
            RequireElements<T>();
            using var elements = new Utils.TensorAccessor<T>(this, write: false);
            var array = new T[1];
            if (i < 0 || i >= elements.Count)
                throw new IndexOutOfRangeException($"There is no element {i} in a tensor of {Phrases.Plural(elements.Count, "element")}.");
            elements.CopyTo(array, 0, i);
            return array[0];
        }
    }
}
