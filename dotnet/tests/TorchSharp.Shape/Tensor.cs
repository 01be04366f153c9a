namespace TorchSharp;

public enum DeviceType
{
    CPU = 0,
    CUDA = 1,
}

public static partial class torch
{
    /// <summary>libtorch's numbers (rule 86).</summary>
    public enum ScalarType : sbyte
    {
        Int64 = 4,
        Float32 = 6,
        Float64 = 7,
        Bool = 11,
        BFloat16 = 15,
    }

    /// <summary>Where a tensor is said to be: nothing here is anywhere but in .NET's own memory.</summary>
    public class Device(string description)
    {
        public DeviceType type { get; } = description == "cuda" ? DeviceType.CUDA : DeviceType.CPU;

        public override string ToString() => description;
    }

    /// <summary>Numbers in memory of .NET's own, in their type; what is computed with them is computed as doubles.</summary>
    public class Tensor : IDisposable
    {
        private readonly byte[] _bytes;
        private readonly long[] _shape;
        private readonly DeviceType _device;
        private bool _disposed;

        internal Tensor(double[]? elements, long[] shape, ScalarType type = ScalarType.Float32, DeviceType device = DeviceType.CPU)
            : this(Numbers.Write(elements ?? [], type), shape, type, device) => _disposed = elements is null; // without: one that never had a handle (rule 48)

        private protected Tensor(byte[] bytes, long[] shape, ScalarType type, DeviceType device)
        {
            _bytes = bytes;
            _shape = shape;
            _device = device;
            dtype = type;
            DisposeScope.Add(this);
        }

        public ScalarType dtype { get; }

        public bool IsInvalid => _disposed;

        public long[] shape => [.. Sizes];

        public DeviceType device_type
        {
            get
            {
                Check();
                return _device;
            }
        }

        public int device_index => _device == DeviceType.CPU ? -1 : 0;

        /// <summary>The numbers themselves, not a copy.</summary>
        public Span<byte> bytes => Stored;

        internal double[] Elements => Numbers.Read(Stored, dtype);

        internal byte[] Stored
        {
            get
            {
                Check();
                return _bytes;
            }
        }

        private long[] Sizes
        {
            get
            {
                Check();
                return _shape;
            }
        }

        /// <summary>What stands behind each name in a file of weights: element type, dimensions, sizes, elements.</summary>
        public static Tensor Load(BinaryReader reader)
        {
            var type = (ScalarType)reader.Read7BitEncodedInt();
            var shape = new long[reader.Read7BitEncodedInt()];
            for (var i = 0; i < shape.Length; i++) shape[i] = reader.Read7BitEncodedInt64();
            var read = empty(shape, type);
            reader.BaseStream.ReadExactly(read.bytes);
            return read;
        }

        public long dim() => Sizes.Length;

        public long size(int dim) => Sizes[dim < 0 ? dim + Sizes.Length : dim];

        public long numel() => Sizes.Aggregate(1L, (x, y) => x * y);

        /// <summary>Another object for the same numbers, which lives by itself (rule 80).</summary>
        public Tensor alias() => new(Stored, Sizes, dtype, _device);

        public Tensor detach() => alias();

        public Tensor cpu() => alias();

        public Tensor contiguous() => alias();

        public Tensor to_type(ScalarType type) => new(Elements, Sizes, type, _device);

        /// <summary>The device's name alone: there is none.</summary>
        public Tensor cuda() => new(Stored, Sizes, dtype, DeviceType.CUDA);

        public Tensor relu() => With(x => Math.Max(x, 0));

        public Tensor reshape(params long[] shape) => new(Stored, shape, dtype, _device);

        public Tensor DetachFromDisposeScope()
        {
            DisposeScope.Detach(this);
            return this;
        }

        public Tensor MoveToOuterDisposeScope()
        {
            DisposeScope.MoveOut(this);
            return this;
        }

        public void Dispose() => _disposed = true;

        public static Tensor operator +(Tensor left, Tensor right) => left.With(right, (x, y) => x + y);

        public static Tensor operator +(Tensor left, long right) => left.With(x => x + right);

        public static Tensor operator +(Tensor left, double right) => left.With(x => x + right);

        public static Tensor operator *(Tensor left, Tensor right) => left.With(right, (x, y) => x * y);

        public static Tensor operator *(Tensor left, long right) => left.With(x => x * right);

        public static Tensor operator *(Tensor left, double right) => left.With(x => x * right);

        // One element goes with all of the other's.
        private Tensor With(Tensor other, Func<double, double, double> compute)
        {
            var (one, two) = (Elements, other.Elements);
            var made = new double[Math.Max(one.Length, two.Length)];
            for (var i = 0; i < made.Length; i++) made[i] = compute(one[one.Length == 1 ? 0 : i], two[two.Length == 1 ? 0 : i]);
            return new(made, one.Length < two.Length ? other.Sizes : Sizes, dtype, _device);
        }

        private Tensor With(Func<double, double> compute) => new([.. Elements.Select(compute)], Sizes, dtype, _device);

        // Rules 41 and 78.
        private void Check()
        {
            if (_disposed) throw new InvalidOperationException("Tensor invalid -- empty handle.");
        }
    }
}
