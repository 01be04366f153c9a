namespace TorchSharp;

/// <summary>How <c>torch.nn.functional.pad</c> and convolutions fill a padded border.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html">torch.nn.functional.pad</see>.
/// </remarks>
public enum PaddingModes
{
    /// <summary>Padding by zeros.</summary>
    Zeros = 0,

    /// <summary>The elements mirrored at the border, without the outermost one.</summary>
    Reflect = 1,

    /// <summary>The outermost element, repeated.</summary>
    Replicate = 2,

    /// <summary>The elements from the opposite border.</summary>
    Circular = 3,

    /// <summary>A given number.</summary>
    Constant = 4,
}

/// <summary>Named paddings of a convolution.</summary>
public enum Padding
{
    /// <summary>No padding.</summary>
    Valid = 0,

    /// <summary>As much padding as keeps the size, with a stride of 1.</summary>
    Same = 1,
}

public static partial class torch
{
    /// <summary>How <c>div</c> rounds a quotient.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.div.html">torch.div</see>.</remarks>
    public enum RoundingMode
    {
        /// <summary>Not at all.</summary>
        None = 0,

        /// <summary>Toward zero.</summary>
        trunc = 1,

        /// <summary>Toward minus infinity.</summary>
        floor = 2,
    }

    // Not readonly, as in TorchSharp: code compiled against TorchSharp may assign them. Nothing in this assembly reads them.
    /// <summary>The type of unsigned 8-bit integers.</summary>
    public static ScalarType uint8 = ScalarType.Byte;

    /// <summary>The type of signed 8-bit integers.</summary>
    public static ScalarType int8 = ScalarType.Int8;

    /// <summary>The type of signed 16-bit integers.</summary>
    public static ScalarType int16 = ScalarType.Int16;

    /// <summary>The type of signed 32-bit integers.</summary>
    public static ScalarType int32 = ScalarType.Int32;

    /// <summary>The type of signed 64-bit integers.</summary>
    public static ScalarType int64 = ScalarType.Int64;

    /// <summary>The type of floating-point numbers of 16 bits: 5 for the exponent, 10 for the fraction.</summary>
    public static ScalarType float16 = ScalarType.Float16;

    /// <summary>The type of floating-point numbers of 16 bits: 8 for the exponent, 7 for the fraction.</summary>
    public static ScalarType bfloat16 = ScalarType.BFloat16;

    /// <summary>The type of 32-bit floating-point numbers.</summary>
    public static ScalarType float32 = ScalarType.Float32;

    /// <summary>The type of 64-bit floating-point numbers.</summary>
    public static ScalarType float64 = ScalarType.Float64;

    /// <summary>The type of booleans.</summary>
    public static ScalarType @bool = ScalarType.Bool;

    /// <summary>The type of complex numbers of two 32-bit parts.</summary>
    public static ScalarType complex64 = ScalarType.ComplexFloat32;

    /// <summary>The type of complex numbers of two 64-bit parts.</summary>
    public static ScalarType complex128 = ScalarType.ComplexFloat64;

    /// <summary>Another name of <see cref="int16"/>.</summary>
    public static ScalarType @short = ScalarType.Int16;

    /// <summary>Another name of <see cref="int32"/>.</summary>
    public static ScalarType @int = ScalarType.Int32;

    /// <summary>Another name of <see cref="int64"/>.</summary>
    public static ScalarType @long = ScalarType.Int64;

    /// <summary>Another name of <see cref="float16"/>.</summary>
    public static ScalarType half = ScalarType.Float16;

    /// <summary>Another name of <see cref="float32"/>.</summary>
    public static ScalarType @float = ScalarType.Float32;

    /// <summary>Another name of <see cref="float64"/>.</summary>
    public static ScalarType @double = ScalarType.Float64;

    /// <summary>Another name of <see cref="complex64"/>.</summary>
    public static ScalarType cfloat = ScalarType.ComplexFloat32;

    /// <summary>Another name of <see cref="complex128"/>.</summary>
    public static ScalarType cdouble = ScalarType.ComplexFloat64;

    /// <summary>The CPU.</summary>
    public static readonly Device CPU = new(DeviceType.CPU);

    /// <summary>The meta device, whose tensors have shapes and types, but no elements.</summary>
    public static readonly Device META = new(DeviceType.META);

    private static Device? _cuda;
    private static Device? _mps;

    /// <summary>Gets the current CUDA device.</summary>
    /// <exception cref="InvalidOperationException">This machine has no such device.</exception>
    public static Device CUDA => _cuda ??= InitializeDevice(new Device(DeviceType.CUDA));

    /// <summary>Gets the MPS device, the GPU of an Apple computer.</summary>
    /// <exception cref="InvalidOperationException">This machine has no such device.</exception>
    public static Device MPS => _mps ??= InitializeDevice(new Device(DeviceType.MPS));

    /// <summary>The device of a tensor's data.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device">torch.device</see>.</remarks>
    public class Device : IEquatable<Device>
    {
        /// <summary>Creates a device of a type.</summary>
        /// <param name="deviceType">The type.</param>
        /// <param name="index">The index; -1 for the current device of the type.</param>
        public Device(DeviceType deviceType, int index = -1) => (type, this.index) = (deviceType, index);

        /// <summary>Creates a device of a type that is given as text.</summary>
        /// <param name="deviceType">The type: <c>cpu</c>, <c>cuda</c>, <c>mps</c> or <c>meta</c>.</param>
        /// <param name="index">The index, which replaces one in the text; -1 for the current device of the type.</param>
        public Device(string deviceType, int index = -1) : this(deviceType) => this.index = index;

        /// <summary>Creates the CUDA device with an index.</summary>
        /// <param name="index">The index; -1 for the current device of the type.</param>
        public Device(int index) : this(DeviceType.CUDA, index)
        {
        }

        /// <summary>Creates a device from a text.</summary>
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

        /// <summary>Gets the type of this device.</summary>
        public DeviceType type { get; }

        /// <summary>Gets the device's index; -1 if none was given, which means the current device of the type.</summary>
        public int index { get; }

        /// <inheritdoc/>
        public bool Equals(Device? other) => other is not null && type == other.type && index == other.index;

        /// <inheritdoc/>
        public override bool Equals(object? obj) => Equals(obj as Device);

        /// <inheritdoc/>
        public override int GetHashCode() => HashCode.Combine(type, index);

        /// <summary>Returns the device as PyTorch writes it.</summary>
        /// <returns>The type, and the index if one was given: <c>cpu</c>, <c>cuda:1</c>.</returns>
        public override string ToString() =>
            index < 0 ? type.ToString().ToLowerInvariant() : $"{type.ToString().ToLowerInvariant()}:{index}";

        /// <summary>Converts a text to a device.</summary>
        /// <param name="description">A type and, optionally, an index: <c>cpu</c>, <c>cuda:1</c>.</param>
        /// <returns>The device.</returns>
        /// <exception cref="ArgumentException">The text is not a device.</exception>
        public static implicit operator Device(string description) => new(description);
    }

    /// <summary>Returns whether an element type is floating-point, but not complex.</summary>
    /// <param name="type">The element type.</param>
    /// <returns>True for Float16, Float32, Float64 and BFloat16.</returns>
    public static bool is_floating_point(ScalarType type) =>
        type is ScalarType.Float16 or ScalarType.Float32 or ScalarType.Float64 or ScalarType.BFloat16;

    /// <summary>Returns whether an element type is complex.</summary>
    /// <param name="type">The element type.</param>
    /// <returns>True for ComplexFloat32 and ComplexFloat64.</returns>
    public static bool is_complex(ScalarType type) => type is ScalarType.ComplexFloat32 or ScalarType.ComplexFloat64;

    /// <summary>Returns whether an element type is an integer type or Bool.</summary>
    /// <param name="type">The element type.</param>
    /// <returns>True for Byte, Int8, Int16, Int32, Int64 and Bool.</returns>
    public static bool is_integral(ScalarType type) => type is >= ScalarType.Byte and <= ScalarType.Int64 or ScalarType.Bool;

    /// <summary>Returns whether a tensor's elements are floating-point numbers, but not complex.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_floating_point.html">torch.is_floating_point</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <returns>Whether they are.</returns>
    public static bool is_floating_point(Tensor input) => is_floating_point(input.dtype);

    /// <summary>Returns whether a tensor's elements are complex numbers.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_complex.html">torch.is_complex</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <returns>Whether they are.</returns>
    public static bool is_complex(Tensor input) => is_complex(input.dtype);

    /// <summary>Returns whether a tensor's elements are integers or booleans.</summary>
    /// <param name="t">The tensor.</param>
    /// <returns>Whether they are.</returns>
    public static bool is_integral(Tensor t) => is_integral(t.dtype);

    /// <summary>Returns the largest number of an integer type.</summary>
    /// <param name="type">Byte, Int8, Int16, Int32 or Int64.</param>
    /// <returns>The number.</returns>
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
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/type_info.html#torch.finfo">torch.finfo</see>.</remarks>
    public struct FInfo
    {
        /// <summary>The number of bits of a number.</summary>
        public int bits;

        /// <summary>The difference between 1 and the next larger number of the type.</summary>
        public double eps;

        /// <summary>The largest finite number of the type.</summary>
        public double max;

        /// <summary>The lowest finite number of the type, which is negative.</summary>
        public double min;

        /// <summary>The smallest positive normal number, as <see cref="smallest_normal"/>.</summary>
        public double tiny;

        /// <summary>The smallest positive number that the type represents with all its digits.</summary>
        public double smallest_normal;

        /// <summary>The approximate decimal resolution, a power of ten.</summary>
        public double resolution;
    }

    /// <summary>Returns the limits of the default element type.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/type_info.html#torch.finfo">torch.finfo</see>.</remarks>
    /// <returns>The limits.</returns>
    public static FInfo finfo() => finfo(get_default_dtype());

    /// <summary>Returns the limits of a floating-point type, or of the parts of a complex type.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/type_info.html#torch.finfo">torch.finfo</see>.</remarks>
    /// <param name="dtype">The element type.</param>
    /// <returns>The limits.</returns>
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
