using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public partial class Tensor
    {
        /// <summary>Returns this tensor's memory if its elements have the given type, otherwise the memory of a converted copy.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.storage.html">torch.Tensor.storage</see>.
        /// </remarks>
        /// <typeparam name="T">The type of the elements in the storage.</typeparam>
        /// <returns>The storage.</returns>
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

    /// <summary>The memory of a tensor, which other tensors may share.</summary>
    /// <remarks>
    /// A number converts to a storage without memory, whose members throw <see cref="InvalidOperationException"/>, as those of a disposed
    /// storage do. PyTorch: <see href="https://docs.pytorch.org/docs/stable/storage.html#torch.TypedStorage">torch.TypedStorage</see>.
    /// </remarks>
    public abstract class Storage
    {
        /// <summary>The tensor whose memory this storage is; null if the storage holds a single number, and after <c>Dispose</c>.</summary>
        protected Tensor? _tensor;

        /// <summary>The address of the first element in the storage; zero without a tensor.</summary>
        protected IntPtr _tensor_data_ptr;

        /// <summary>Creates a storage without a tensor.</summary>
        protected Storage()
        {
        }

        /// <summary>Creates the storage of a tensor.</summary>
        /// <param name="tensor">The tensor.</param>
        protected Storage(Tensor tensor) : this(tensor, IntPtr.Zero)
        {
        }

        /// <summary>Creates a storage that begins at an address.</summary>
        /// <param name="tensor">The tensor whose memory it is.</param>
        /// <param name="data_ptr">The address; zero for the start of the tensor's memory.</param>
        protected Storage(Tensor tensor, IntPtr data_ptr) =>
            (_tensor, _tensor_data_ptr) = (tensor, data_ptr == IntPtr.Zero ? tensor.StorageStart() : data_ptr);

        /// <summary>Gets the tensor whose memory this storage is.</summary>
        /// <exception cref="InvalidOperationException">The storage holds a single number, or was disposed.</exception>
        private protected Tensor Owner =>
            _tensor ?? throw new InvalidOperationException("The storage holds a single number or was disposed: it has no memory.");

        /// <summary>Creates a 1-dim tensor of a list.</summary>
        /// <typeparam name="T">The type of the elements in the list.</typeparam>
        /// <param name="dtype">The element type of the tensor.</param>
        /// <param name="rawArray">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        protected static Tensor CreateTypedTensor<T>(ScalarType dtype, IList<T> rawArray) => from_array(rawArray.ToArray(), dtype);

        /// <summary>Returns the tensor's memory if its elements are booleans, otherwise the memory of a converted copy.</summary>
        public Storage<bool> @bool() => Owner.storage<bool>();

        /// <summary>
        /// Returns the tensor's memory if its elements are unsigned 8-bit integers, otherwise the memory of a converted copy.
        /// </summary>
        public Storage<byte> @byte() => Owner.storage<byte>();

        /// <summary>Throws: no tensor has characters as elements.</summary>
        /// <exception cref="NotSupportedException">Always, as in TorchSharp.</exception>
        public Storage<char> @char() => Owner.storage<char>();

        /// <summary>Returns the tensor's memory if its elements are 32-bit integers, otherwise the memory of a converted copy.</summary>
        public Storage<int> @int() => Owner.storage<int>();

        /// <summary>Returns the tensor's memory if its elements are 64-bit integers, otherwise the memory of a converted copy.</summary>
        public Storage<long> @long() => Owner.storage<long>();

        /// <summary>
        /// Returns the tensor's memory if its elements are 32-bit floating-point numbers, otherwise the memory of a converted copy.
        /// </summary>
        public Storage<float> @float() => Owner.storage<float>();

        /// <summary>
        /// Returns the tensor's memory if its elements are 64-bit floating-point numbers, otherwise the memory of a converted copy.
        /// </summary>
        public Storage<double> @double() => Owner.storage<double>();

        /// <summary>
        /// Returns the tensor's memory if its elements are complex numbers of two floats, otherwise the memory of a converted copy.
        /// </summary>
        public Storage<(float, float)> complex_float() => Owner.storage<(float, float)>();

        /// <summary>
        /// Returns the tensor's memory if its elements are complex numbers of two doubles, otherwise the memory of a converted copy.
        /// </summary>
        public Storage<System.Numerics.Complex> complex_double() => Owner.storage<System.Numerics.Complex>();

        /// <summary>Returns the size of an element in bytes.</summary>
        public abstract int element_size();

        /// <summary>Returns the address of the first element in the storage.</summary>
        public IntPtr data_ptr() => _tensor_data_ptr;

        /// <summary>Returns the size in bytes of the tensor's entire memory.</summary>
        public ulong nbytes() => Owner.StorageBytes();
    }

    /// <summary>The memory of a tensor, or a part of it, as numbers of one type.</summary>
    /// <typeparam name="T">The type of the elements.</typeparam>
    public sealed unsafe class Storage<T> : Storage, IDisposable, IEnumerable<T> where T : unmanaged
    {
        private readonly T _number;
        private readonly int _count;

        internal Storage(Tensor tensor) : base(tensor) => _count = checked((int)(nbytes() / (ulong)sizeof(T)));

        private Storage(Tensor tensor, IntPtr data, int count) : base(tensor, data) => _count = count;

        private Storage(T number) => _number = number;

        /// <summary>Gets the number of elements in the storage.</summary>
        public int Count
        {
            get
            {
                _ = Owner;
                return _count;
            }
        }

        /// <summary>Gets the device that has the memory.</summary>
        public Device device => Owner.device;

        /// <summary>Gets false: the elements of a storage on the CPU can be written.</summary>
        public bool IsReadOnly => false;

        /// <inheritdoc/>
        public override int element_size()
        {
            _ = Owner;
            return sizeof(T);
        }

        /// <summary>Returns the tensor's memory if it is on the CUDA device, otherwise the memory of a copy there.</summary>
        /// <param name="device">The device; by default the current CUDA device.</param>
        /// <returns>The storage of the tensor there.</returns>
        public Storage<T> cuda(Device? device = null) => Owner.cuda(device).storage<T>();

        /// <summary>Returns the tensor's memory if it is on the CPU, otherwise the memory of a copy there.</summary>
        /// <returns>The storage of the tensor there.</returns>
        public Storage<T> cpu() => Owner.cpu().storage<T>();

        /// <summary>Gets or sets the element at an index.</summary>
        /// <param name="index">The index, from 0 on.</param>
        /// <value>The element.</value>
        /// <exception cref="IndexOutOfRangeException">The index is out of range.</exception>
        /// <exception cref="InvalidOperationException">The memory is not on the CPU.</exception>
        public T this[int index]
        {
            get => Numbers[CheckIndex(index)];
            set => Numbers[CheckIndex(index)] = value;
        }

        /// <summary>Gets a part of the storage on the same memory, or sets each element of the part to one number.</summary>
        /// <param name="range">The first index, and the end, which is not included; null for those of the storage.</param>
        /// <value>The part.</value>
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

        /// <summary>Gets a part of the storage on the same memory, or sets each element of the part to one number.</summary>
        /// <param name="range">The range: <c>1..^1</c>.</param>
        /// <value>The part.</value>
        public Storage<T> this[Range range]
        {
            get => this[(range.Start.GetOffset(Count), range.End.GetOffset(Count))];
            set => this[(range.Start.GetOffset(Count), range.End.GetOffset(Count))] = value;
        }

        /// <summary>Converts a number to a storage without memory, to assign it to a part of a storage.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The storage.</returns>
        public static implicit operator Storage<T>(T value) => new(value);

        /// <summary>Returns a copy of the elements as an array.</summary>
        public T[] ToArray() => Numbers.ToArray();

        /// <summary>Returns a copy of the elements as a list, which cannot grow.</summary>
        public IList<T> tolist() => ToArray();

        /// <summary>Overwrites elements with those of a list, from the start, until the storage or the list ends.</summary>
        /// <param name="array">The list.</param>
        public void copy_(IList<T> array) => CopyFrom(array, 0);

        /// <summary>Sets all elements to one number.</summary>
        /// <param name="value">The number.</param>
        public void fill_(T value) => Numbers.Fill(value);

        /// <summary>Returns whether an element is equal to a number.</summary>
        /// <param name="item">The number.</param>
        /// <returns>Whether one is.</returns>
        public bool Contains(T item) => IndexOf(item) >= 0;

        /// <summary>Finds the first element that is equal to a number.</summary>
        /// <param name="item">The number.</param>
        /// <returns>The index of the first equal element, or -1.</returns>
        public int IndexOf(T item)
        {
            var numbers = Numbers;
            for (var at = 0; at < numbers.Length; at++)
                if (numbers[at].Equals(item)) return at;
            return -1;
        }

        /// <summary>Copies elements to a list, from an index of the list on, until the storage or the list ends.</summary>
        /// <param name="array">The list to overwrite.</param>
        /// <param name="arrayIndex">The index in the list.</param>
        public void CopyTo(IList<T> array, int arrayIndex)
        {
            var numbers = Numbers;
            for (var at = 0; at < numbers.Length && at + arrayIndex < array.Count; at++) array[at + arrayIndex] = numbers[at];
        }

        /// <summary>Overwrites elements with those of a list, from an index of the list on, until the storage or the list ends.</summary>
        /// <param name="array">The list to read.</param>
        /// <param name="arrayIndex">The index in the list.</param>
        public void CopyFrom(IList<T> array, int arrayIndex)
        {
            var numbers = Numbers;
            for (var at = 0; at < numbers.Length && at + arrayIndex < array.Count; at++) numbers[at] = array[at + arrayIndex];
        }

        /// <inheritdoc/>
        public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)ToArray()).GetEnumerator();

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();

        /// <summary>Drops the reference to the tensor, which is not disposed.</summary>
        public void Dispose() => (_tensor, _tensor_data_ptr) = (null, IntPtr.Zero);

        /// <summary>Gets the elements in place.</summary>
        /// <exception cref="InvalidOperationException">The memory is not on the CPU.</exception>
        private Span<T> Numbers => Owner.device_type is DeviceType.CPU
            ? new((void*)_tensor_data_ptr, _count)
            : throw new InvalidOperationException($"The storage is on {Owner.device}; use cpu() to get its elements.");

        private int CheckIndex(int index) =>
            index >= 0 && index < Count ? index : throw new IndexOutOfRangeException(
                $"There is no element {index} in a storage of {Phrases.Plural(Count, "element")}.");

        private (int Start, int Count) Window((int? Start, int? End) range)
        {
            var (start, end) = (range.Start ?? 0, range.End ?? Count);
            if (end < start) throw new ArgumentException($"The end {end} is before the start {start}.", nameof(range));
            if (start < 0 || end > Count)
            {
                throw new IndexOutOfRangeException(
                    $"The range from {start} to {end} (exclusive) is not within a storage of {Phrases.Plural(Count, "element")}.");
            }

            return (start, end - start);
        }
    }
}
