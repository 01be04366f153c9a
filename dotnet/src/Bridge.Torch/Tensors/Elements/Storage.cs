using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public partial class Tensor
    {
        /// <summary>Returns this tensor's memory if its elements have the given type, otherwise the memory of a converted copy.</summary>
        /// <exception cref="NotSupportedException">No tensor has elements of that type.</exception>
        public Storage<T> storage<T>() where T : unmanaged => new(to_type(ElementType<T>()));

        internal unsafe IntPtr StorageStart()
        {
            Pin();
            using var lease = Lease();
            void* data;
            Abi.Check(Abi.mutable_data_ptr(lease.Handle, &data), "storage");
            return (IntPtr)data - checked((nint)(storage_offset() * element_size()));
        }

        internal unsafe ulong StorageBytes()
        {
            using var lease = Lease();
            long bytes;
            Abi.Check(Abi.get_storage_size(lease.Handle, &bytes), "storage");
            return (ulong)bytes;
        }
    }

    /// <summary>The memory of a tensor.</summary>
    public abstract class Storage
    {
        /// <summary>The tensor whose memory this storage is; null if the storage holds a single number, and after <c>Dispose</c>.</summary>
        protected Tensor? _tensor;

        protected IntPtr _tensor_data_ptr;

        protected Storage()
        {
        }

        protected Storage(Tensor tensor) : this(tensor, IntPtr.Zero)
        {
        }

        protected Storage(Tensor tensor, IntPtr data_ptr) =>
            (_tensor, _tensor_data_ptr) = (tensor, data_ptr == IntPtr.Zero ? tensor.StorageStart() : data_ptr);

        /// <summary>Gets the tensor whose memory this storage is.</summary>
        /// <exception cref="InvalidOperationException">The storage holds a single number, or was disposed.</exception>
        private protected Tensor Owner =>
            _tensor ?? throw new InvalidOperationException("The storage holds a single number or was disposed: it has no memory.");

        protected static Tensor CreateTypedTensor<T>(ScalarType dtype, IList<T> rawArray) => from_array(rawArray.ToArray(), dtype);

        public Storage<bool> @bool() => Owner.storage<bool>();

        public Storage<byte> @byte() => Owner.storage<byte>();

        /// <summary>Throws: no tensor has characters as elements.</summary>
        /// <exception cref="NotSupportedException">Always, as in TorchSharp.</exception>
        public Storage<char> @char() => Owner.storage<char>();

        public Storage<int> @int() => Owner.storage<int>();

        public Storage<long> @long() => Owner.storage<long>();

        public Storage<float> @float() => Owner.storage<float>();

        public Storage<double> @double() => Owner.storage<double>();

        public Storage<(float, float)> complex_float() => Owner.storage<(float, float)>();

        public Storage<System.Numerics.Complex> complex_double() => Owner.storage<System.Numerics.Complex>();

        public abstract int element_size();

        public IntPtr data_ptr() => _tensor_data_ptr;

        /// <summary>Returns the size in bytes of the tensor's entire memory.</summary>
        public ulong nbytes() => Owner.StorageBytes();
    }

    /// <summary>The memory of a tensor, or a part of it, as numbers of one type.</summary>
    public sealed unsafe class Storage<T> : Storage, IDisposable, IEnumerable<T> where T : unmanaged
    {
        private readonly T _number;
        private readonly int _count;

        internal Storage(Tensor tensor) : base(tensor) => _count = checked((int)(nbytes() / (ulong)sizeof(T)));

        private Storage(Tensor tensor, IntPtr data, int count) : base(tensor, data) => _count = count;

        private Storage(T number) => _number = number;

        public int Count
        {
            get
            {
                _ = Owner;
                return _count;
            }
        }

        public Device device => Owner.device;

        public bool IsReadOnly => false;

        public override int element_size()
        {
            _ = Owner;
            return sizeof(T);
        }

        public Storage<T> cuda(Device? device = null) => Owner.cuda(device).storage<T>();

        public Storage<T> cpu() => Owner.cpu().storage<T>();

        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        /// <exception cref="InvalidOperationException">The memory is not on the CPU.</exception>
        public T this[int index]
        {
            get => Numbers[CheckIndex(index)];
            set => Numbers[CheckIndex(index)] = value;
        }

        /// <summary>Gets a part of the storage on the same memory, or sets each element of the part to one number.</summary>
        /// <exception cref="ArgumentException">The end is before the start.</exception>
        /// <exception cref="IndexOutOfRangeException">The range is not within the storage.</exception>
        /// <exception cref="InvalidOperationException">
        /// The assigned value is a storage, not a single number, or the memory to overwrite is not on the CPU.
        /// </exception>
        public Storage<T> this[(int? start, int? end) range]
        {
            get
            {
                var (start, count) = Window(range);
                return new(Owner, _tensor_data_ptr + start * sizeof(T), count);
            }

            set
            {
                if (value._tensor is not null)
                    throw new InvalidOperationException("A part of a storage is set to one number, not to a storage.");
                var (start, count) = Window(range);
                Numbers.Slice(start, count).Fill(value._number);
            }
        }

        public Storage<T> this[Range range]
        {
            get => this[(range.Start.GetOffset(Count), range.End.GetOffset(Count))];
            set => this[(range.Start.GetOffset(Count), range.End.GetOffset(Count))] = value;
        }

        public static implicit operator Storage<T>(T value) => new(value);

        public T[] ToArray() => Numbers.ToArray();

        public IList<T> tolist() => ToArray();

        public void copy_(IList<T> array) => CopyFrom(array, 0);

        public void fill_(T value) => Numbers.Fill(value);

        public bool Contains(T item) => IndexOf(item) >= 0;

        /// <returns>The index of the first equal element, or -1.</returns>
        public int IndexOf(T item)
        {
            var numbers = Numbers;
            for (var at = 0; at < numbers.Length; at++)
                if (numbers[at].Equals(item)) return at;
            return -1;
        }

        /// <summary>Copies elements to the array, starting at an index of the array, until the storage or the array ends.</summary>
        public void CopyTo(IList<T> array, int arrayIndex)
        {
            var numbers = Numbers;
            for (var at = 0; at < numbers.Length && at + arrayIndex < array.Count; at++) array[at + arrayIndex] = numbers[at];
        }

        /// <summary>Overwrites elements with the array's, starting at an index of the array, until the storage or the array ends.</summary>
        public void CopyFrom(IList<T> array, int arrayIndex)
        {
            var numbers = Numbers;
            for (var at = 0; at < numbers.Length && at + arrayIndex < array.Count; at++) numbers[at] = array[at + arrayIndex];
        }

        public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)ToArray()).GetEnumerator();

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();

        /// <summary>Drops the reference to the tensor, which is not disposed.</summary>
        public void Dispose() => (_tensor, _tensor_data_ptr) = (null, IntPtr.Zero);

        /// <exception cref="InvalidOperationException">The memory is not on the CPU.</exception>
        private Span<T> Numbers => Owner.device_type is DeviceType.CPU
            ? new((void*)_tensor_data_ptr, _count)
            : throw new InvalidOperationException($"The storage is on {Owner.device}; use cpu() to get its elements.");

        private int CheckIndex(int index) =>
            index >= 0 && index < Count ? index : throw new IndexOutOfRangeException(
                $"There is no element {index} in a storage of {Count} elements.");

        private (int Start, int Count) Window((int? Start, int? End) range)
        {
            var (start, end) = (range.Start ?? 0, range.End ?? Count);
            if (end < start) throw new ArgumentException($"The end {end} is before the start {start}.", nameof(range));
            if (start < 0 || end > Count)
            {
                throw new IndexOutOfRangeException(
                    $"The range from {start} to {end} (exclusive) is not within a storage of {Count} elements.");
            }

            return (start, end - start);
        }
    }
}
