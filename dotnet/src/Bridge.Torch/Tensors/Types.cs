namespace TorchSharp;

/// <summary>How a convolution fills the border.</summary>
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

    public const ScalarType uint8 = ScalarType.Byte;
    public const ScalarType int8 = ScalarType.Int8;
    public const ScalarType int16 = ScalarType.Int16;
    public const ScalarType int32 = ScalarType.Int32;
    public const ScalarType int64 = ScalarType.Int64;
    public const ScalarType float16 = ScalarType.Float16;
    public const ScalarType bfloat16 = ScalarType.BFloat16;
    public const ScalarType float32 = ScalarType.Float32;
    public const ScalarType float64 = ScalarType.Float64;
    public const ScalarType @bool = ScalarType.Bool;
    public const ScalarType complex64 = ScalarType.ComplexFloat32;
    public const ScalarType complex128 = ScalarType.ComplexFloat64;
    public const ScalarType @short = ScalarType.Int16;
    public const ScalarType @int = ScalarType.Int32;
    public const ScalarType @long = ScalarType.Int64;
    public const ScalarType half = ScalarType.Float16;
    public const ScalarType @float = ScalarType.Float32;
    public const ScalarType @double = ScalarType.Float64;
    public const ScalarType cfloat = ScalarType.ComplexFloat32;
    public const ScalarType cdouble = ScalarType.ComplexFloat64;

    public static readonly Device CPU = new(DeviceType.CPU);
    public static readonly Device CUDA = new(DeviceType.CUDA, 0);
    public static readonly Device META = new(DeviceType.META);

    /// <summary>Where a tensor's data are.</summary>
    public sealed class Device : IEquatable<Device>
    {
        public Device(DeviceType type, int index = -1) => (this.type, this.index) = (type, index);

        /// <param name="description"><c>cpu</c>, <c>cuda</c>, <c>cuda:1</c>, <c>meta</c>.</param>
        /// <exception cref="ArgumentException">No such device.</exception>
        public Device(string description)
        {
            var parts = description.Split(':');
            var number = -1;
            var numbered = parts.Length == 1
                || (parts.Length == 2 && int.TryParse(parts[1], System.Globalization.NumberStyles.None, System.Globalization.CultureInfo.InvariantCulture, out number));
            if (!numbered || !Enum.TryParse<DeviceType>(parts[0], true, out var parsed) || int.TryParse(parts[0], out _))
                throw new ArgumentException($"'{description}' is not a device; write cpu, cuda, cuda:1, mps or meta.", nameof(description));
            (type, index) = (parsed, number);
        }

        public DeviceType type { get; }

        /// <summary>The device's number, -1 for the current one.</summary>
        public int index { get; }

        public bool Equals(Device? other) => other is not null && type == other.type && index == other.index;

        public override bool Equals(object? obj) => Equals(obj as Device);

        public override int GetHashCode() => HashCode.Combine(type, index);

        public override string ToString() => index < 0 ? type.ToString().ToLowerInvariant() : $"{type.ToString().ToLowerInvariant()}:{index}";

        public static implicit operator Device(string description) => new(description);
    }

    public static bool is_floating_point(ScalarType type) => type is ScalarType.Float16 or ScalarType.Float32 or ScalarType.Float64 or ScalarType.BFloat16;

    public static bool is_complex(ScalarType type) => type is ScalarType.ComplexFloat32 or ScalarType.ComplexFloat64;

    public static bool is_integral(ScalarType type) => !is_floating_point(type) && !is_complex(type);
}
