using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            /// <summary>The type of the device to which the module was moved last; at first the CPU.</summary>
            protected DeviceType _deviceType = DeviceType.CPU;

            /// <summary>The index of the device to which the module was moved last; at first -1.</summary>
            protected int _deviceIndex = -1;

            /// <summary>
            /// Moves the parameters and buffers of this module and its descendants, and converts those that are floating-point or complex.
            /// </summary>
            /// <param name="device">The device.</param>
            /// <param name="dtype">The element type, floating-point or complex.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            /// <returns>This module.</returns>
            /// <exception cref="ArgumentException">The element type is neither floating-point nor complex.</exception>
            protected internal virtual Module _to(Device device, ScalarType dtype, bool non_blocking) =>
                non_blocking ? Converted(device, dtype, true) : _to(device, dtype);

            /// <summary>Moves the parameters and buffers of this module and its descendants to a device.</summary>
            /// <param name="deviceType">The type of the device.</param>
            /// <param name="deviceIndex">The index of the device; -1 for the current one.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            /// <returns>This module.</returns>
            protected internal virtual Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) =>
                non_blocking ? Converted(deviceType, deviceIndex, true) : _to(deviceType, deviceIndex);

            /// <summary>
            /// Converts those parameters and buffers of this module and its descendants that are floating-point or complex.
            /// </summary>
            /// <param name="dtype">The element type, floating-point or complex.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            /// <returns>This module.</returns>
            /// <exception cref="ArgumentException">The element type is neither floating-point nor complex.</exception>
            protected internal virtual Module _to(ScalarType dtype, bool non_blocking) =>
                non_blocking ? Converted(dtype, true) : _to(dtype);

            private Module Converted(Device device, ScalarType dtype, bool non_blocking)
            {
                if (this is IParameterLessModule) return this;
                CheckType(dtype);
                _toEpilog(device, dtype, non_blocking);
                return this;
            }

            private Module Converted(DeviceType deviceType, int deviceIndex, bool non_blocking)
            {
                if (this is IParameterLessModule) return this;
                _toEpilog(deviceType, deviceIndex, non_blocking);
                return this;
            }

            private Module Converted(ScalarType dtype, bool non_blocking)
            {
                if (this is IParameterLessModule) return this;
                CheckType(dtype);
                _toEpilog(dtype, non_blocking);
                return this;
            }

            /// <summary>Moves the module to the device of a tensor and converts it to the tensor's element type.</summary>
            /// <param name="other">The tensor.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            /// <returns>This module.</returns>
            /// <exception cref="ArgumentException">The element type is neither floating-point nor complex.</exception>
            public Module _to(Tensor other, bool non_blocking) => _to(other.device, other.dtype, non_blocking);

            /// <summary>Converts the children, then this module's own tensors, to an element type.</summary>
            /// <param name="dtype">The element type.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            protected void _toEpilog(ScalarType dtype, bool non_blocking) => _toEpilog(dtype, null, non_blocking);

            /// <summary>Moves the children, then this module's own tensors, to a device and converts them.</summary>
            /// <param name="device">The device.</param>
            /// <param name="dtype">The element type.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            protected void _toEpilog(Device device, ScalarType dtype, bool non_blocking) =>
                _toEpilog((ScalarType?)dtype, device, non_blocking);

            /// <summary>Moves the children, then this module's own tensors, to a device.</summary>
            /// <param name="deviceType">The type of the device.</param>
            /// <param name="deviceIndex">The index of the device; -1 for the current one.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            protected void _toEpilog(DeviceType deviceType, int deviceIndex, bool non_blocking) =>
                _toEpilog(null, new Device(deviceType, deviceIndex), non_blocking);

            /// <summary>
            /// Converts and moves the children, then this module's own tensors. The tensors and their gradients stay the same objects, as
            /// in PyTorch: a tied parameter stays tied, and an optimizer keeps its parameters.
            /// </summary>
            /// <param name="dtype">The element type; null to keep it.</param>
            /// <param name="device">The device; null to keep it.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            /// <exception cref="ArgumentNullException">Both the element type and the device are null.</exception>
            protected virtual void _toEpilog(ScalarType? dtype, Device? device, bool non_blocking)
            {
                if (dtype is null && device is null)
                    throw new ArgumentNullException(nameof(dtype), "An element type or a device is needed.");
                Nesting.Check();
                foreach (var (_, child) in Children)
                {
                    if (device is null) child._to(dtype!.Value, non_blocking);
                    else if (dtype is null) child._to(device.type, device.index, non_blocking);
                    else child._to(device, dtype.Value, non_blocking);
                }

                foreach (var (_, tensor) in OwnTensors.ToList())
                {
                    if (tensor.IsInvalid) continue;
                    // Without Python, no backward pass has run, and reading `grad` throws.
                    if (tensor is Parameter && PythonHooks.Current is not null)
                    {
                        using var gradient = tensor.grad;
                        if (gradient is not null) Convert(gradient, dtype, device, non_blocking);
                    }

                    Convert(tensor, dtype, device, non_blocking);
                }

                if (device is not null) (_deviceType, _deviceIndex) = (device.type, device.index);
            }

            /// <summary>
            /// Creates a converted copy of a buffer; returns false if neither its type nor its device changes. Integers and booleans keep
            /// their type.
            /// </summary>
            /// <param name="dtype">The element type; null to keep it.</param>
            /// <param name="device">The device; null to keep it.</param>
            /// <param name="buffer">The buffer.</param>
            /// <param name="result">The copy; null if nothing changes.</param>
            /// <returns>Whether there is a copy.</returns>
            protected static bool ReplaceBuffer(ScalarType? dtype, Device? device, Tensor buffer, out Tensor? result)
            {
                using var off = no_grad();
                result = ConvertIfNeeded(buffer, dtype, device, false)?.DetachFromDisposeScope();
                return result is not null;
            }

            /// <summary>
            /// Creates a converted copy of a parameter; returns false if neither its type nor its device changes. Integers and booleans
            /// keep their type.
            /// </summary>
            /// <param name="dtype">The element type; null to keep it.</param>
            /// <param name="device">The device; null to keep it.</param>
            /// <param name="param">The parameter.</param>
            /// <param name="p">The copy, which requires a gradient if the parameter does; null if nothing changes.</param>
            /// <returns>Whether there is a copy.</returns>
            protected static bool ReplaceParameter(ScalarType? dtype, Device? device, Parameter param, out Parameter? p)
            {
                using var off = no_grad();
                p = ConvertIfNeeded(param, dtype, device, false) is { } made
                    ? (Parameter)new Parameter(made, param.requires_grad).DetachFromDisposeScope() : null;
                return p is not null;
            }

            private static void Convert(Tensor tensor, ScalarType? dtype, Device? device, bool non_blocking)
            {
                using var off = no_grad();
                using var made = ConvertIfNeeded(tensor, dtype, device, non_blocking);
                if (made is not null) tensor.SetData(made);
            }

            private static Tensor? ConvertIfNeeded(Tensor tensor, ScalarType? dtype, Device? device, bool non_blocking)
            {
                var type = dtype is { } wanted && !tensor.is_integral() ? wanted : tensor.dtype;
                var target = device ?? tensor.device;
                return type == tensor.dtype && target.Equals(tensor.device) ? null : tensor.to(type, target, non_blocking: non_blocking);
            }

            private static void CheckType(ScalarType dtype)
            {
                if (is_integral(dtype))
                    throw new ArgumentException($"nn.Module.to only accepts floating point or complex types, but got desired dtype={dtype}",
                        nameof(dtype));
            }
        }
    }
}
