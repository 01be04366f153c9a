using System.Runtime.CompilerServices;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>Gets the sizes of the dimensions.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.shape.html">torch.Tensor.shape</see>.
        /// </remarks>
        public long[] shape =>
            TorchFunctionMode.IsActive && !TracedReads.IsActive && ShapeReads.OfCaller() is { } read ? SomeSizes(read) : Sizes;

        /// <summary>
        /// Gets all sizes. (<see cref="shape"/> reads only those that its caller uses while PyTorch traces, since each size that is read
        /// may become a constant.)
        /// </summary>
        internal long[] Sizes
        {
            get
            {
                if (TracedReads.IsAnyActive) TracedReads.Note();
                long* sizes;
                long count;
                using var lease = Lease();
                Abi.Check(Abi.get_sizes(lease.Handle, &sizes), "shape");
                Abi.Check(Abi.get_dim(lease.Handle, &count), "shape");
                return new ReadOnlySpan<long>(sizes, (int)count).ToArray();
            }
        }

        // Reads only the sizes at the given indices. The other elements are -1.
        private long[] SomeSizes(int[] read)
        {
            var sizes = new long[dim()];
            Array.Fill(sizes, -1);
            foreach (var index in read)
            {
                var at = index < 0 ? index + sizes.Length : index;
                if (at >= 0 && at < sizes.Length) sizes[at] = OneSize(at);
            }

            return sizes;
        }

        /// <summary>Gets the number of dimensions.</summary>
        public long ndim => dim();

        /// <summary>Gets the type of the elements.</summary>
        public ScalarType dtype => (ScalarType)Property(Abi.get_dtype, "dtype");

        /// <summary>Gets the type of the device that has the elements.</summary>
        public DeviceType device_type => (DeviceType)Property(Abi.get_device_type, "device_type");

        /// <summary>Gets the index of the device among the devices of its type.</summary>
        public int device_index => Property(Abi.get_device_index, "device_index");

        private int Property(delegate* unmanaged<IntPtr, int*, int> read, string name)
        {
            int value;
            using var lease = Lease();
            Abi.Check(read(lease.Handle, &value), name);
            return value;
        }

        /// <summary>Gets the device that has the elements.</summary>
        public Device device =>
            device_type is DeviceType.CPU or DeviceType.META ? new Device(device_type) : new Device(device_type, device_index);

        /// <summary>
        /// Gets or sets whether autograd records operations on the tensor. The stable ABI cannot read the flag, so the getter turns grad
        /// mode on and creates a view, which is a leaf exactly if the tensor does not require grad.
        /// </summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad.html">torch.Tensor.requires_grad</see>.
        /// </remarks>
        public bool requires_grad
        {
            get
            {
                using var grad = new AutoGradMode(true);
                using var alias = View();
                return !alias.is_leaf;
            }

            set
            {
                using var lease = Lease();
                Abi.Check(Abi.set_requires_grad(lease.Handle, value ? (byte)1 : (byte)0), "requires_grad");
            }
        }

        /// <summary>Returns the number of dimensions.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dim.html">torch.Tensor.dim</see>.
        /// </remarks>
        public long dim()
        {
            long value;
            using var lease = Lease();
            Abi.Check(Abi.get_dim(lease.Handle, &value), "dim");
            return value;
        }

        /// <summary>Returns the size of a dimension; a negative index counts from the end.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.size.html">torch.Tensor.size</see>.
        /// </remarks>
        /// <param name="dim">The dimension.</param>
        /// <returns>The size.</returns>
        /// <exception cref="ArgumentOutOfRangeException">The tensor has no such dimension.</exception>
        public long size(int dim)
        {
            var count = this.dim();
            var at = dim < 0 ? dim + count : dim;
            if (at < 0 || at >= count)
                throw new ArgumentOutOfRangeException(
                    nameof(dim), $"There is no dimension {dim}: the tensor has {Phrases.Plural(count, "dimension")}.");
            return TorchFunctionMode.IsActive && !TracedReads.IsActive ? OneSize(at) : Sizes[at];
        }

        /// <summary>Returns the number of elements.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numel.html">torch.Tensor.numel</see>.
        /// </remarks>
        public long numel()
        {
            if (TracedReads.IsAnyActive) TracedReads.Note();
            long value;
            using var lease = Lease();
            Abi.Check(Abi.get_numel(lease.Handle, &value), "numel");
            return value;
        }

        /// <summary>Returns whether the elements are in memory in C order, without gaps.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_contiguous.html">torch.Tensor.is_contiguous</see>.
        /// </remarks>
        public bool is_contiguous()
        {
            byte value;
            using var lease = Lease();
            Abi.Check(Abi.is_contiguous(lease.Handle, &value), "is_contiguous");
            return value != 0;
        }

        /// <summary>Returns the value of a tensor with one element.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html">torch.Tensor.item</see>.
        /// </remarks>
        /// <typeparam name="T">The element type, which must be the tensor's; <c>ToInt32()</c> and similar methods convert.</typeparam>
        /// <returns>The value.</returns>
        /// <exception cref="ArgumentException">The tensor does not have exactly one element, or has another element type.</exception>
        public T item<T>() where T : unmanaged
        {
            if (numel() != 1) throw new ArgumentException("Number of elements in the tensor must be 1");
            RequireElements<T>();
            if (is_complex())
            {
                using var plain = cpu().resolve_conj();
                return *(T*)plain.Memory("item");
            }

            T value = default;
            if (is_floating_point())
            {
                var real = Real();
                if (typeof(T) == typeof(double)) return Unsafe.As<double, T>(ref real);
                if (typeof(T) == typeof(float)) *(float*)&value = (float)real;
                else if (typeof(T) == typeof(BFloat16)) *(BFloat16*)&value = (BFloat16)real;
                else *(Half*)&value = (Half)real;
                return value;
            }

            // On a little-endian machine, the low bytes of a long are the value as a smaller integer type.
            var integer = Integer();
            Unsafe.CopyBlock(&value, &integer, (uint)sizeof(T));
            return value;
        }

        private double Real()
        {
            double value;
            using var lease = Lease();
            Abi.Check(Abi.item_float64(lease.Handle, &value), "item");
            return value;
        }

        private long Integer()
        {
            long value;
            using var lease = Lease();
            Abi.Check(Abi.item_int64(lease.Handle, &value), "item");
            return value;
        }

        /// <summary>Returns the single element as a <see cref="Scalar"/>.</summary>
        /// <returns>The number: an integer, a floating-point number, a complex number or a boolean, as the element.</returns>
        public Scalar ToScalar() =>
            dtype == ScalarType.Bool ? Integer() != 0 : is_complex() ? Complex() : IsInexact(dtype) ? Real() : Integer();

        private System.Numerics.Complex Complex()
        {
            using var wide = to_type(ScalarType.ComplexFloat64);
            return wide.item<System.Numerics.Complex>();
        }

        /// <summary>Returns the sizes of all dimensions.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.size.html">torch.Tensor.size</see>.
        /// </remarks>
        /// <returns>The sizes.</returns>
        public long[] size() => Sizes;

        /// <summary>Gets the number of dimensions, as <see cref="ndim"/>.</summary>
        public long Dimensions => dim();

        /// <summary>Gets the number of elements, as <see cref="numel"/> returns it.</summary>
        public long NumberOfElements => numel();

        /// <summary>Returns the size of an element in bytes, also for types that <see cref="ScalarType"/> lacks.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.element_size.html">torch.Tensor.element_size</see>.
        /// </remarks>
        public long element_size() => (long)Abi.dtype_size((int)dtype);

        /// <summary>Gets the size of an element in bytes, as <see cref="element_size"/> returns it.</summary>
        public long ElementSize => element_size();

        /// <summary>Gets whether the tensor is on a CUDA device.</summary>
        public bool is_cuda => device_type == DeviceType.CUDA;

        /// <summary>Returns whether the elements are floating-point numbers, but not complex.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_floating_point.html">
        /// torch.Tensor.is_floating_point</see>.
        /// </remarks>
        public bool is_floating_point() => torch.is_floating_point(dtype);

        /// <summary>Returns whether the elements are complex numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_complex.html">torch.Tensor.is_complex</see>.
        /// </remarks>
        public bool is_complex() => torch.is_complex(dtype);

        /// <summary>Returns whether the elements are integers or booleans.</summary>
        public bool is_integral() => torch.is_integral(dtype);

        /// <summary>Returns the strides in elements, one per dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.stride.html">torch.Tensor.stride</see>.
        /// </remarks>
        /// <returns>The strides.</returns>
        public long[] stride()
        {
            long* strides;
            long count;
            using var lease = Lease();
            Abi.Check(Abi.get_strides(lease.Handle, &strides), "stride");
            Abi.Check(Abi.get_dim(lease.Handle, &count), "stride");
            return new ReadOnlySpan<long>(strides, (int)count).ToArray();
        }

        /// <summary>Returns the distance in memory, in elements, between neighbors along a dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.stride.html">torch.Tensor.stride</see>.
        /// </remarks>
        /// <param name="dim">The dimension; a negative index counts from the end.</param>
        /// <returns>The stride.</returns>
        public long stride(int dim) => stride()[dim < 0 ? dim + (int)ndim : dim];

        /// <summary>Returns the position of the first element in the memory, in elements.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.storage_offset.html">torch.Tensor.storage_offset</see>.
        /// </remarks>
        public long storage_offset()
        {
            long value;
            using var lease = Lease();
            Abi.Check(Abi.get_storage_offset(lease.Handle, &value), "storage_offset");
            return value;
        }

        /// <summary>Returns the elements in C order, converted to <typeparamref name="T"/> and copied to the CPU.</summary>
        /// <typeparam name="T">byte, sbyte, short, int, long, Half, BFloat16, float, double, bool, (float, float) or Complex.</typeparam>
        /// <returns>The elements.</returns>
        public T[] ToArray<T>() where T : unmanaged
        {
            using var here = to(ElementType<T>(), new Device(DeviceType.CPU));
            // The memory of a view with the conjugate or negative bit does not hold the view's elements.
            using var plain = here.resolve_conj();
            using var positive = plain.resolve_neg();
            using var packed = positive.contiguous();
            return new ReadOnlySpan<T>(packed.Memory("ToArray"), checked((int)packed.numel())).ToArray();
        }

        /// <summary>Returns the address of the first element of a CPU tensor; zero if the tensor is empty.</summary>
        /// <param name="what">The caller's name, for error messages.</param>
        /// <param name="write">Whether the caller may write: then memory shared with a lazy clone is copied first.</param>
        /// <exception cref="InvalidOperationException">
        /// The tensor has no memory, or its memory does not hold its elements (<see cref="is_neg"/>, <see cref="is_conj"/>).
        /// </exception>
        internal void* Memory(string what, bool write = false)
        {
            if (is_neg() || is_conj())
                throw new InvalidOperationException(
                    $"{what}: the tensor is {(is_neg() ? "negated (is_neg())" : "conjugated (is_conj())")}, but its memory is not; use "
                    + $"{(is_neg() ? "resolve_neg()" : "resolve_conj()")} first.");
            void* data;
            Pin();
            using var lease = Lease();
            Abi.Check((write ? Abi.mutable_data_ptr : Abi.const_data_ptr)(lease.Handle, &data), what);
            // A FakeTensor has no memory, even if its device is the CPU.
            if (data is null && numel() > 0) throw new InvalidOperationException($"{what}: the tensor has no elements in memory.");
            return data;
        }

        /// <summary>
        /// Returns whether shape and elements are equal, as <c>torch.equal</c> does: 1 equals 1.0, and NaN differs from NaN.
        /// </summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.equal.html">torch.equal</see>.</remarks>
        /// <param name="target">The other tensor.</param>
        /// <returns>Whether they are equal; false for null.</returns>
        public bool Equals(Tensor? target) => target is not null && Same(target);

        internal static ScalarType ElementType<T>() where T : unmanaged => default(T) switch
        {
            byte => ScalarType.Byte,
            sbyte => ScalarType.Int8,
            short => ScalarType.Int16,
            int => ScalarType.Int32,
            long => ScalarType.Int64,
            Half => ScalarType.Float16,
            BFloat16 => ScalarType.BFloat16,
            float => ScalarType.Float32,
            double => ScalarType.Float64,
            bool => ScalarType.Bool,
            ValueTuple<float, float> => ScalarType.ComplexFloat32,
            System.Numerics.Complex => ScalarType.ComplexFloat64,
            _ => throw new NotSupportedException($"no tensor has elements of type {typeof(T).Name}"),
        };

        [Aten("aten::_indices", "self")] private partial Tensor RawSparseIndices();
        [Aten("aten::_values", "self")] private partial Tensor RawSparseValues();

        /// <summary>Gets or sets a name for the user's own purposes.</summary>
        public string? name { get; set; }

        /// <summary>Returns whether the elements are quantized.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_quantized.html">torch.Tensor.is_quantized</see>.
        /// </remarks>
        public bool is_quantized() => torch.is_quantized(dtype);

        /// <summary>Gets whether the tensor is sparse, with coordinates (COO).</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_sparse.html">torch.Tensor.is_sparse</see>.
        /// </remarks>
        public bool is_sparse => Property(Abi.get_layout, "layout") == 1;

        /// <summary>Gets the indices of a sparse tensor, coalesced or not.</summary>
        public Tensor SparseIndices => RawSparseIndices();

        /// <summary>Gets the elements at <see cref="SparseIndices"/>.</summary>
        public Tensor SparseValues => RawSparseValues();

        /// <summary>Returns false: Bridge.Torch does not support named dimensions.</summary>
        public bool has_names() => false;

        /// <summary>Gets null for each dimension: Bridge.Torch does not support named dimensions.</summary>
        public string[] names => new string[dim()];

        /// <summary>Returns the elements as nested lists of Scalars; for a 0-dim tensor, a Scalar.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.tolist.html">torch.Tensor.tolist</see>.
        /// </remarks>
        public object tolist() =>
            dim() == 0 ? this.ToScalar() : new System.Collections.ArrayList(unbind(0).Select(part => part.tolist()).ToList());
    }
}
