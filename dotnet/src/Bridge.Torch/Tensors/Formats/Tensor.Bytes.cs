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

        public double ReadCpuDouble(long i) => ReadCpuValue<double>(i);

        public float ReadCpuSingle(long i) => ReadCpuValue<float>(i);

        public int ReadCpuInt32(long i) => ReadCpuValue<int>(i);

        public long ReadCpuInt64(long i) => ReadCpuValue<long>(i);

        public byte ReadCpuByte(long i) => ReadCpuValue<byte>(i);

        public sbyte ReadCpuSByte(long i) => ReadCpuValue<sbyte>(i);

        public short ReadCpuInt16(long i) => ReadCpuValue<short>(i);

        public bool ReadCpuBool(long i) => ReadCpuValue<bool>(i);

        public float ReadCpuFloat16(long i) => (float)ReadCpuValue<Half>(i);

        public float ReadCpuBFloat16(long i)
        {
            using var wide = to_type(ScalarType.Float32);
            return wide.ReadCpuValue<float>(i);
        }

        /// <summary>Returns the element at an index in C order.</summary>
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
                throw new IndexOutOfRangeException($"There is no element {i} in a tensor of {elements.Count} elements.");
            elements.CopyTo(array, 0, i);
            return array[0];
        }
    }
}
