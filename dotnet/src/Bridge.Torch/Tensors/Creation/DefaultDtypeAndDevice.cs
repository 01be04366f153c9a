using Bridge.Torch;
using Bridge.Torch.Native;
using Bridge.Torch.Vision;

namespace Bridge.Torch
{
    /// <summary>The dimension names that TorchSharp's factories take and libtorch's stable ABI cannot carry.</summary>
    internal static class DimensionNames
    {
        internal static void Refuse(string[]? names)
        {
            if (names is { Length: > 0 })
                throw new NotSupportedException("Names of dimensions are not supported: libtorch's stable ABI cannot carry them.");
        }
    }
}

namespace TorchSharp
{
    // The default element type and device of tensor factories. C# and Python share PyTorch's default element type. C# sets the default
    // device for Python, too, but ignores a default device that Python sets. Without Python in the process, C# keeps its own defaults.
    public static partial class torch
    {
        private static ScalarType? _defaultType;
        private static Device? _defaultDevice;

        /// <summary>Sets the element type of tensors that factories create without a type.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_default_dtype.html">torch.set_default_dtype</see>.
        /// </remarks>
        /// <param name="dtype">A floating-point type.</param>
        /// <exception cref="ArgumentException">The element type is not a floating-point type.</exception>
        public static void set_default_dtype(ScalarType dtype)
        {
            if (!is_floating_point(dtype))
                throw new ArgumentException("only floating-point types are supported as the default type", nameof(dtype));
            if (PythonHooks.Current is null) _defaultType = dtype;
            else SetDefaultType(dtype);
        }

        [Aten("bridge::set_default_dtype", "dtype")] private static partial void SetDefaultType(ScalarType dtype);
        [Aten("bridge::set_default_device", "device")] private static partial void SetDefaultDevice(Device device);
        [Aten("bridge::is_default_device", "device")] private static partial bool IsDefault(Device device);

        /// <summary>Returns the element type of tensors that factories create without a type.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_default_dtype.html">torch.get_default_dtype</see>.
        /// </remarks>
        public static ScalarType get_default_dtype()
        {
            if (_defaultType is { } set) return set;
            using var empty = torch.empty([0L]);
            return empty.dtype;
        }

        /// <summary>Sets the element type of tensors that factories create without a type to that of a tensor.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html">set_default_tensor_type</see>.
        /// </remarks>
        /// <param name="t">The tensor.</param>
        public static void set_default_tensor_type(Tensor t) => set_default_dtype(t.dtype);

        /// <summary>Sets the default device of factories for this thread, as in PyTorch; without Python, for all threads.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html">torch.set_default_device</see>.
        /// </remarks>
        /// <param name="device">The device.</param>
        public static void set_default_device(Device device)
        {
            ArgumentNullException.ThrowIfNull(device);
            if (PythonHooks.Current is not null) SetDefaultDevice(device);
            _defaultDevice = device;
        }

        /// <summary>Sets the default device of factories, by its name.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html">torch.set_default_device</see>.
        /// </remarks>
        /// <param name="device">The name, such as <c>cuda:0</c>.</param>
        public static void set_default_device(string device) => set_default_device(new Device(device));

        /// <summary>Returns the default device of factories that C# has set; otherwise the CPU.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_default_device.html">torch.get_default_device</see>.
        /// </remarks>
        public static Device get_default_device() => DeviceOrDefault(null) ?? CPU;

        /// <summary>Checks that this machine has a device of a type.</summary>
        /// <param name="deviceType">The type.</param>
        /// <exception cref="InvalidOperationException"><see cref="TryInitializeDeviceType"/> returns false.</exception>
        public static void InitializeDeviceType(DeviceType deviceType)
        {
            if (!TryInitializeDeviceType(deviceType))
                throw new InvalidOperationException($"Torch device type {deviceType} is not available on this machine.");
        }

        /// <summary>Returns whether this machine has a device of the type. Only CUDA and MPS are checked; other types give true.</summary>
        /// <param name="deviceType">The type.</param>
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

        /// <summary>Checks that this machine has a device of the type of the given one.</summary>
        /// <param name="device">The device; by default the default one.</param>
        /// <returns>The device.</returns>
        /// <exception cref="InvalidOperationException"><see cref="TryInitializeDeviceType"/> returns false.</exception>
        public static Device InitializeDevice(Device? device)
        {
            device ??= get_default_device();
            InitializeDeviceType(device.type);
            return device;
        }

        /// <summary>
        /// Throws the exception of TorchVision's last native call on this thread, if it failed. Other failed calls throw by themselves.
        /// </summary>
        public static void CheckForErrors() => VisionFunctions.ThrowFailure();

        private static ScalarType? DtypeOrDefault(ScalarType? dtype) => dtype ?? _defaultType;

        /// <summary>
        /// Returns the given type. If it is null, returns Int64 for an integer or a boolean, as in TorchSharp, and the default type for
        /// other values.
        /// </summary>
        private static ScalarType FillDtype(ScalarType? dtype, Scalar value) =>
            dtype ?? (value.Type is ScalarType.Int64 or ScalarType.Bool ? ScalarType.Int64 : get_default_dtype());

        /// <exception cref="ArgumentException">The type is neither floating-point nor complex.</exception>
        private static ScalarType? RandomDtype(ScalarType? dtype) => dtype is not { } type || is_floating_point(type) || is_complex(type)
            ? DtypeOrDefault(dtype)
            : throw new ArgumentException($"Random numbers are floating point or complex, not {type}.", nameof(dtype));

        /// <summary>Returns the real type of a complex type; null for other types.</summary>
        private static ScalarType? RealDtype(ScalarType? dtype) =>
            dtype switch { ScalarType.ComplexFloat32 => ScalarType.Float32, ScalarType.ComplexFloat64 => ScalarType.Float64, _ => null };

        /// <summary>
        /// Returns the device if it is not null. Otherwise returns the default device that C# set, or null if C# set none or Python has
        /// changed the default since.
        /// </summary>
        private static Device? DeviceOrDefault(Device? device) =>
            device ?? (_defaultDevice is { } set && (PythonHooks.Current is null || IsDefault(set)) ? set : null);

        /// <summary>Returns the element type of a range; null to let libtorch choose, which uses int64 for integers.</summary>
        private static ScalarType? DtypeOrDefault(ScalarType? dtype, Scalar start, Scalar stop, Scalar step) =>
            dtype ?? (start.IsReal || stop.IsReal || step.IsReal ? _defaultType : null);
    }
}
