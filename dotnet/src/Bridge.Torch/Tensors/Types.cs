namespace TorchSharp;

/// <summary>How a padded border is filled.</summary>
public enum PaddingModes
{
    Zeros = 0,
    Reflect = 1,
    Replicate = 2,
    Circular = 3,
    Constant = 4,
}

/// <summary>Named paddings of a convolution.</summary>
public enum Padding
{
    Valid = 0,
    Same = 1,
}

public static partial class torch
{
    /// <summary>How a quotient is rounded.</summary>
    public enum RoundingMode
    {
        None = 0,
        trunc = 1,
        floor = 2,
    }

    // Not readonly, as in TorchSharp: code compiled against TorchSharp may assign them. Nothing in this assembly reads them.
    public static ScalarType uint8 = ScalarType.Byte;
    public static ScalarType int8 = ScalarType.Int8;
    public static ScalarType int16 = ScalarType.Int16;
    public static ScalarType int32 = ScalarType.Int32;
    public static ScalarType int64 = ScalarType.Int64;
    public static ScalarType float16 = ScalarType.Float16;
    public static ScalarType bfloat16 = ScalarType.BFloat16;
    public static ScalarType float32 = ScalarType.Float32;
    public static ScalarType float64 = ScalarType.Float64;
    public static ScalarType @bool = ScalarType.Bool;
    public static ScalarType complex64 = ScalarType.ComplexFloat32;
    public static ScalarType complex128 = ScalarType.ComplexFloat64;
    public static ScalarType @short = ScalarType.Int16;
    public static ScalarType @int = ScalarType.Int32;
    public static ScalarType @long = ScalarType.Int64;
    public static ScalarType half = ScalarType.Float16;
    public static ScalarType @float = ScalarType.Float32;
    public static ScalarType @double = ScalarType.Float64;
    public static ScalarType cfloat = ScalarType.ComplexFloat32;
    public static ScalarType cdouble = ScalarType.ComplexFloat64;

    public static readonly Device CPU = new(DeviceType.CPU);
    public static readonly Device META = new(DeviceType.META);

    private static Device? _cuda;
    private static Device? _mps;

    /// <exception cref="InvalidOperationException">This machine has no such device.</exception>
    public static Device CUDA => _cuda ??= InitializeDevice(new Device(DeviceType.CUDA));

    /// <exception cref="InvalidOperationException">This machine has no such device.</exception>
    public static Device MPS => _mps ??= InitializeDevice(new Device(DeviceType.MPS));

    /// <summary>The device of a tensor's data.</summary>
    public class Device : IEquatable<Device>
    {
        public Device(DeviceType deviceType, int index = -1) => (type, this.index) = (deviceType, index);

        public Device(string deviceType, int index = -1) : this(deviceType) => this.index = index;

        /// <summary>Creates the CUDA device with an index.</summary>
        public Device(int index) : this(DeviceType.CUDA, index)
        {
        }

        /// <param name="description">A type and, optionally, an index: <c>cpu</c>, <c>cuda:1</c>.</param>
        /// <exception cref="ArgumentException">The text is not a device.</exception>
        public Device(string description)
        {
            var parts = description.Split(':');
            var number = -1;
            var numbered = parts.Length == 1
                || (parts.Length == 2 && int.TryParse(parts[1], System.Globalization.NumberStyles.None,
                    System.Globalization.CultureInfo.InvariantCulture, out number));
            if (!numbered || !Enum.TryParse<DeviceType>(parts[0], true, out var parsed)
                || int.TryParse(parts[0], System.Globalization.CultureInfo.InvariantCulture, out _))
                throw new ArgumentException($"'{description}' is not a device; write cpu, cuda, cuda:1, mps or meta.", nameof(description));
            (type, index) = (parsed, number);
        }

        public DeviceType type { get; }

        /// <summary>Gets the device's index; -1 if none was given, which means the current device of the type.</summary>
        public int index { get; }

        public bool Equals(Device? other) => other is not null && type == other.type && index == other.index;

        public override bool Equals(object? obj) => Equals(obj as Device);

        public override int GetHashCode() => HashCode.Combine(type, index);

        public override string ToString() =>
            index < 0 ? type.ToString().ToLowerInvariant() : $"{type.ToString().ToLowerInvariant()}:{index}";

        public static implicit operator Device(string description) => new(description);
    }

    public static bool is_floating_point(ScalarType type) =>
        type is ScalarType.Float16 or ScalarType.Float32 or ScalarType.Float64 or ScalarType.BFloat16;

    public static bool is_complex(ScalarType type) => type is ScalarType.ComplexFloat32 or ScalarType.ComplexFloat64;

    public static bool is_integral(ScalarType type) => type is >= ScalarType.Byte and <= ScalarType.Int64 or ScalarType.Bool;

    public static bool is_floating_point(Tensor input) => is_floating_point(input.dtype);

    public static bool is_complex(Tensor input) => is_complex(input.dtype);

    public static bool is_integral(Tensor t) => is_integral(t.dtype);

    /// <exception cref="ArgumentException">The type is not an integer type.</exception>
    public static long max_int_value(ScalarType type) => type switch
    {
        ScalarType.Byte => byte.MaxValue,
        ScalarType.Int8 => sbyte.MaxValue,
        ScalarType.Int16 => short.MaxValue,
        ScalarType.Int32 => int.MaxValue,
        ScalarType.Int64 => long.MaxValue,
        _ => throw new ArgumentException("Not an integral type", nameof(type)),
    };

    /// <summary>The limits of a floating-point type, or of the parts of a complex type.</summary>
    public struct FInfo
    {
        public int bits;
        public double eps;
        public double max;
        public double min;
        public double tiny;
        public double smallest_normal;
        public double resolution;
    }

    public static FInfo finfo() => finfo(get_default_dtype());

    /// <exception cref="ArgumentException">The type is neither floating-point nor complex.</exception>
    public static FInfo finfo(ScalarType dtype) => dtype switch
    {
        ScalarType.BFloat16 => Limits(16, 0.0078125, 3.3895313892515355e+38, 1.1754943508222875e-38, 0.01),
        ScalarType.Float16 => Limits(16, 0.0009765625, 65504, 6.103515625e-05, 0.001),
        ScalarType.Float32 or ScalarType.ComplexFloat32 =>
            Limits(32, 1.1920928955078125e-07, 3.4028234663852886e+38, 1.1754943508222875e-38, 1e-06),
        ScalarType.Float64 or ScalarType.ComplexFloat64 =>
            Limits(64, 2.220446049250313e-16, double.MaxValue, 2.2250738585072014e-308, 1e-15),
        _ => throw new ArgumentException("'dtype' must be floating point or complex", nameof(dtype)),
    };

    private static FInfo Limits(int bits, double eps, double max, double tiny, double resolution) =>
        new() { bits = bits, eps = eps, max = max, min = -max, tiny = tiny, smallest_normal = tiny, resolution = resolution };
}
