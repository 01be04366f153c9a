using Bridge.Torch;
using Bridge.Torch.Native;

namespace Bridge.Torch
{
    /// <summary>Names of dimensions, which the factories of TorchSharp take and libtorch's stable ABI cannot carry.</summary>
    internal static class DimensionNames
    {
        internal static void Refuse(string[]? names)
        {
            if (names is { Length: > 0 }) throw new NotSupportedException("Names of dimensions are not supported: libtorch's stable ABI cannot carry them.");
        }
    }
}

namespace TorchSharp
{
    /// <summary>
    /// What factories take where neither type nor device is given. The defaults are PyTorch's: what C# sets holds in Python too, until either language
    /// sets another. Without Python in the process there is no way to set libtorch's, and C# keeps its own.
    /// </summary>
    public static partial class torch
    {
        private static ScalarType? _defaultType;
        private static Device? _defaultDevice;

        /// <summary>The element type of factories that are given none, and of numbers with a fraction.</summary>
        /// <exception cref="ArgumentException">It is not a floating type.</exception>
        public static void set_default_dtype(ScalarType dtype)
        {
            if (!is_floating_point(dtype)) throw new ArgumentException("only floating-point types are supported as the default type", nameof(dtype));
            if (PythonHooks.Current is null) _defaultType = dtype;
            else SetDefaultType(dtype);
        }

        [Aten("bridge::set_default_dtype", "dtype")] private static partial void SetDefaultType(ScalarType dtype);
        [Aten("bridge::set_default_device", "device")] private static partial void SetDefaultDevice(Device device);
        [Aten("bridge::is_default_device", "device")] private static partial bool IsDefault(Device device);

        /// <summary>The running torch's, whichever language has set it.</summary>
        public static ScalarType get_default_dtype()
        {
            if (_defaultType is { } set) return set;
            using var empty = torch.empty([0L]);
            return empty.dtype;
        }

        public static void set_default_tensor_type(Tensor t) => set_default_dtype(t.dtype);

        /// <summary>The device of factories that are given none. As PyTorch's, it holds on this thread; without Python on all.</summary>
        public static void set_default_device(Device device)
        {
            ArgumentNullException.ThrowIfNull(device);
            if (PythonHooks.Current is not null) SetDefaultDevice(device);
            _defaultDevice = device;
        }

        public static void set_default_device(string device) => set_default_device(new Device(device));

        public static Device get_default_device() => DeviceOrDefault(null) ?? CPU;

        /// <summary>Throws unless the device can be used: libtorch is Python's own and loaded already.</summary>
        /// <exception cref="InvalidOperationException">There is no such device here.</exception>
        public static void InitializeDeviceType(DeviceType deviceType)
        {
            if (!TryInitializeDeviceType(deviceType)) throw new InvalidOperationException($"Torch device type {deviceType} is not available on this machine.");
        }

        /// <summary>Whether the device can be used.</summary>
        public static bool TryInitializeDeviceType(DeviceType deviceType)
        {
            Abi.Require();
            return deviceType switch
            {
                DeviceType.CUDA => cuda.is_available(),
                DeviceType.MPS => mps_is_available(),
                _ => true,
            };
        }

        public static Device InitializeDevice(Device? device)
        {
            device ??= get_default_device();
            InitializeDeviceType(device.type);
            return device;
        }

        /// <summary>Does nothing: a failed call throws by itself.</summary>
        public static void CheckForErrors()
        {
        }

        private static ScalarType? DtypeOrDefault(ScalarType? dtype) => dtype ?? _defaultType;

        /// <summary>TorchSharp's rule: whole numbers and truth values fill an Int64 tensor.</summary>
        private static ScalarType FillDtype(ScalarType? dtype, Scalar value) =>
            dtype ?? (value.Type is ScalarType.Int64 or ScalarType.Bool ? ScalarType.Int64 : get_default_dtype());

        /// <summary>What random numbers can be drawn in.</summary>
        /// <exception cref="ArgumentException">An integer type, or bool.</exception>
        private static ScalarType? RandomDtype(ScalarType? dtype) => dtype is not { } type || is_floating_point(type) || is_complex(type)
            ? DtypeOrDefault(dtype)
            : throw new ArgumentException($"Random numbers are floating point or complex, not {type}.", nameof(dtype));

        /// <summary>The real type that a complex one is made of; null for one that is not.</summary>
        private static ScalarType? RealDtype(ScalarType? dtype) => dtype switch { ScalarType.ComplexFloat32 => ScalarType.Float32, ScalarType.ComplexFloat64 => ScalarType.Float64, _ => null };

        /// <summary>What C# has set as the default, unless Python has set another since, or for this thread none: constructors and <c>forward</c> know no default of Python's.</summary>
        private static Device? DeviceOrDefault(Device? device) =>
            device ?? (_defaultDevice is { } set && (PythonHooks.Current is null || IsDefault(set)) ? set : null);

        /// <summary>The type of a range: int64 where all its numbers are integers.</summary>
        private static ScalarType? DtypeOrDefault(ScalarType? dtype, Scalar start, Scalar stop, Scalar step) =>
            dtype ?? (start.IsReal || stop.IsReal || step.IsReal ? _defaultType : null);
    }
}
