using System.Collections;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp.Utils
{
    /// <summary>The elements of a CPU tensor in C order, read and written in place. The tensor may have any strides.</summary>
    /// <typeparam name="T">The element type, which must be the tensor's.</typeparam>
    public sealed unsafe class TensorAccessor<T> : IEnumerable<T>, IDisposable where T : unmanaged
    {
        private readonly torch.Tensor _tensor;
        private readonly T* _data;
        private readonly long[] _shape;
        private readonly long[] _strides;

        internal TensorAccessor(torch.Tensor tensor, bool write)
        {
            if (tensor.device_type != DeviceType.CPU)
                throw new InvalidOperationException(
                    $"The elements of a tensor on {tensor.device} cannot be read directly; use cpu() first.");
            var data = tensor.Memory("data", write);
            (_tensor, _shape, _strides) = (tensor, tensor.Sizes, tensor.stride());
            _data = (T*)data;
            Count = tensor.numel();
        }

        /// <summary>Gets the number of elements.</summary>
        public long Count { get; }

        /// <summary>Gets or sets the element at one index per dimension, or at a single index in C order.</summary>
        /// <param name="indices">The indices, from 0 on.</param>
        /// <value>The element.</value>
        /// <exception cref="IndexOutOfRangeException">
        /// An index is out of range, or their number is neither one nor that of the dimensions.
        /// </exception>
        /// <exception cref="InvalidOperationException">
        /// The tensor was disposed, or its memory has changed since this object was created.
        /// </exception>
        public T this[params long[] indices]
        {
            get
            {
                using var lease = Lease();
                return *At(indices);
            }

            set
            {
                using var lease = Lease(write: true);
                *At(indices) = value;
            }
        }

        /// <summary>Gets false: the elements can be written.</summary>
        public bool IsReadOnly => false;

        /// <summary>Returns the elements as an array, in C order.</summary>
        public T[] ToArray()
        {
            var array = new T[Count];
            CopyTo(array);
            return array;
        }

        /// <summary>
        /// Returns the elements as an array with the tensor's dimensions; for a 0-dim tensor, an array of one element.
        /// </summary>
        public Array ToNDArray()
        {
            var array = Array.CreateInstance(typeof(T), _shape.Length == 0 ? [1] : _shape);
            CopyTo(MemoryMarshal.CreateSpan(ref Unsafe.As<byte, T>(ref MemoryMarshal.GetArrayDataReference(array)), array.Length));
            return array;
        }

        /// <summary>Copies elements to an array, in C order, until the tensor or the array ends.</summary>
        /// <param name="array">The array to overwrite.</param>
        /// <param name="arrayIndex">The index in the array of the first element.</param>
        /// <param name="tensorIndex">The index in the tensor, in C order, of the first element.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="tensorIndex"/> is out of range.</exception>
        /// <exception cref="InvalidOperationException">
        /// The tensor was disposed, or its memory has changed since this object was created.
        /// </exception>
        public void CopyTo(T[] array, int arrayIndex = 0, long tensorIndex = 0) => CopyTo(array.AsSpan(), arrayIndex, tensorIndex);

        /// <summary>Copies elements to a span, in C order, until the tensor or the span ends.</summary>
        /// <param name="array">The span to overwrite.</param>
        /// <param name="arrayIndex">The index in the span of the first element.</param>
        /// <param name="tensorIndex">The index in the tensor, in C order, of the first element.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="tensorIndex"/> is out of range.</exception>
        /// <exception cref="InvalidOperationException">
        /// The tensor was disposed, or its memory has changed since this object was created.
        /// </exception>
        public void CopyTo(Span<T> array, int arrayIndex = 0, long tensorIndex = 0)
        {
            CheckPosition(tensorIndex);
            using var lease = Lease();
            for (var at = tensorIndex; at < Count && arrayIndex < array.Length; at++) array[arrayIndex++] = *AtPosition(at);
        }

        /// <summary>Overwrites elements with those of an array, in C order, until the tensor or the array ends.</summary>
        /// <param name="array">The array to read.</param>
        /// <param name="arrayIndex">The index in the array of the first element.</param>
        /// <param name="tensorIndex">The index in the tensor, in C order, of the first element.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="tensorIndex"/> is out of range.</exception>
        /// <exception cref="InvalidOperationException">
        /// The tensor was disposed, or its memory has changed since this object was created.
        /// </exception>
        public void CopyFrom(T[] array, int arrayIndex = 0, long tensorIndex = 0) =>
            CopyFrom((ReadOnlySpan<T>)array, arrayIndex, tensorIndex);

        /// <summary>Overwrites elements with those of a span, in C order, until the tensor or the span ends.</summary>
        /// <param name="array">The span to read.</param>
        /// <param name="arrayIndex">The index in the span of the first element.</param>
        /// <param name="tensorIndex">The index in the tensor, in C order, of the first element.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="tensorIndex"/> is out of range.</exception>
        /// <exception cref="InvalidOperationException">
        /// The tensor was disposed, or its memory has changed since this object was created.
        /// </exception>
        public void CopyFrom(ReadOnlySpan<T> array, int arrayIndex = 0, long tensorIndex = 0)
        {
            CheckPosition(tensorIndex);
            using var lease = Lease(write: true);
            for (var at = tensorIndex; at < Count && arrayIndex < array.Length; at++) *AtPosition(at) = array[arrayIndex++];
        }

        /// <summary>Returns whether both have the same elements in C order; the shapes may differ.</summary>
        /// <param name="left">The one accessor.</param>
        /// <param name="right">The other accessor.</param>
        /// <returns>Whether they do.</returns>
        public static bool operator ==(TensorAccessor<T>? left, TensorAccessor<T>? right) =>
            left is null ? right is null : left.Equals(right);

        /// <summary>Returns whether the elements in C order differ; the shapes may differ, too.</summary>
        /// <param name="left">The one accessor.</param>
        /// <param name="right">The other accessor.</param>
        /// <returns>Whether they do.</returns>
        public static bool operator !=(TensorAccessor<T>? left, TensorAccessor<T>? right) => !(left == right);

        /// <summary>Returns whether an object is an accessor of the same elements in C order; the shapes may differ.</summary>
        /// <param name="obj">The other object.</param>
        /// <returns>Whether it is.</returns>
        public override bool Equals(object? obj) =>
            ReferenceEquals(this, obj) || (obj is TensorAccessor<T> other && Count == other.Count && this.SequenceEqual(other));

        /// <summary>Returns a hash code that depends on the number of elements alone, since elements may change.</summary>
        public override int GetHashCode() => Count.GetHashCode();

        /// <inheritdoc/>
        public IEnumerator<T> GetEnumerator()
        {
            for (long at = 0; at < Count; at++) yield return this[at];
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        /// <summary>Does nothing: the tensor is not disposed.</summary>
        public void Dispose()
        {
        }

        private void CheckPosition(long element)
        {
            if (element < 0 || (element >= Count && element > 0))
                throw new ArgumentOutOfRangeException(
                    nameof(element), $"There is no element {element} in a tensor of {Phrases.Plural(Count, "element")}.");
        }

        // Throws if the tensor's memory is not at the address that it had at construction: if the tensor is a module's parameter or buffer,
        // Python may have replaced its value. Before a write, memory that is shared with a lazy clone is copied.
        private HandleLease Lease(bool write = false)
        {
            var lease = _tensor.Lease();
            void* data;
            if ((write ? Abi.mutable_data_ptr : Abi.const_data_ptr)(lease.Handle, &data) == 0 && data == _data) return lease;
            lease.Dispose();
            throw new ObjectDisposedException(nameof(TensorAccessor<T>),
                "The tensor's memory has changed since data<T>() was called; call data<T>() again.");
        }

        private T* At(long[] indices)
        {
            if (indices.Length == 1 && _shape.Length != 1)
                return indices[0] >= 0 && indices[0] < Count ? AtPosition(indices[0]) : throw new IndexOutOfRangeException();
            if (indices.Length != _shape.Length)
                throw new IndexOutOfRangeException(
                    $"The number of indices is {indices.Length} for {Phrases.Plural(_shape.Length, "dimension")}.");
            var offset = 0L;
            for (var dim = 0; dim < indices.Length; dim++)
            {
                if (indices[dim] < 0 || indices[dim] >= _shape[dim])
                    throw new IndexOutOfRangeException($"The index {indices[dim]} is out of range for a dimension of size {_shape[dim]}.");
                offset += indices[dim] * _strides[dim];
            }

            return _data + offset;
        }

        private T* AtPosition(long at)
        {
            var offset = 0L;
            for (var dim = _shape.Length - 1; dim >= 0; dim--)
            {
                offset += at % _shape[dim] * _strides[dim];
                at /= _shape[dim];
            }

            return _data + offset;
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public unsafe partial class Tensor
        {
            /// <summary>
            /// Returns the elements in place, or a copy if the tensor is not on the CPU. Keep the tensor alive while the elements are used.
            /// </summary>
            /// <typeparam name="T">The element type, which must be the tensor's.</typeparam>
            /// <returns>The elements.</returns>
            /// <exception cref="ArgumentException">The tensor has another element type.</exception>
            /// <exception cref="InvalidOperationException">
            /// The tensor's memory does not hold its elements (<see cref="is_neg"/>, <see cref="is_conj"/>).
            /// </exception>
            public Utils.TensorAccessor<T> data<T>() where T : unmanaged
            {
                RequireElements<T>();
                return new(device_type == DeviceType.CPU ? this : cpu(), write: true);
            }

            private void RequireElements<T>() where T : unmanaged
            {
                if (dtype != ElementType<T>())
                    throw new ArgumentException($"{typeof(T).Name} is not compatible with {dtype}; use to_type first.");
            }

            /// <summary>Gets or sets the bytes of a contiguous CPU tensor, in place. Keep the tensor alive while they are used.</summary>
            /// <exception cref="InvalidOperationException">
            /// The tensor is not a contiguous CPU tensor, or its memory does not hold its elements (<see cref="is_neg"/>,
            /// <see cref="is_conj"/>).
            /// </exception>
            /// <exception cref="ArgumentException">The assigned span is longer.</exception>
            public Span<byte> bytes
            {
                get => Block(write: true);

                set => value.CopyTo(bytes);
            }

            /// <summary>Returns the bytes of a contiguous CPU tensor.</summary>
            /// <param name="write">Whether the caller may write: then memory shared with a lazy clone is copied first.</param>
            private Span<byte> Block(bool write)
            {
                if (device_type != DeviceType.CPU || !is_contiguous())
                    throw new InvalidOperationException(
                        "Only a contiguous tensor on the CPU has its bytes in one block; use cpu().contiguous().");
                var start = Memory("bytes", write);
                long storage;
                using var lease = Lease();
                Abi.Check(Abi.get_storage_size(lease.Handle, &storage), "bytes");
                // Some types (quint4x2) pack several elements into a byte.
                var length = Math.Min(numel() * element_size(), storage - storage_offset() * element_size());
                return new Span<byte>(start, checked((int)length));
            }
        }
    }
}
