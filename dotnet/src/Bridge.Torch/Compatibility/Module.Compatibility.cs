using System.ComponentModel;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        // The methods by which TorchSharp 0.102.0 to 0.102.5 converted modules. The current methods call the virtual methods among these,
        // since assemblies that were compiled against those versions override them.
        public partial class Module
        {
            /// <summary>
            /// 0.102.0 to 0.102.5: moves and converts the module; old assemblies override it. See the overload with non_blocking.
            /// </summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected internal virtual Module _to(Device device, ScalarType dtype) => Converted(device, dtype, false);

            /// <summary>
            /// 0.102.0 to 0.102.5: moves the module to a device; old assemblies override it. See the overload with non_blocking.
            /// </summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected internal virtual Module _to(DeviceType deviceType, int deviceIndex) => Converted(deviceType, deviceIndex, false);

            /// <summary>
            /// 0.102.0 to 0.102.5: converts the module's element type; old assemblies override it. See the overload with non_blocking.
            /// </summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected internal virtual Module _to(ScalarType dtype) => Converted(dtype, false);

            /// <summary>
            /// 0.102.0 to 0.102.5: converts the module to a tensor's type, then moves it to the tensor's device. See the overload with
            /// non_blocking.
            /// </summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            public Module _to(Tensor other)
            {
                _to(other.dtype);
                return _to(other.device.type, other.device.index);
            }

            /// <summary>
            /// 0.102.0 to 0.102.5: converts the children and the module's own tensors; see the overload with non_blocking.
            /// </summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected void _toEpilog(ScalarType dtype) => _toEpilog(dtype, false);

            /// <summary>
            /// 0.102.0 to 0.102.5: moves and converts the children and the module's own tensors; see the overload with non_blocking.
            /// </summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected void _toEpilog(Device device, ScalarType dtype) => _toEpilog(device, dtype, false);

            /// <summary>0.102.0 to 0.102.5: moves the children and the module's own tensors; see the overload with non_blocking.</summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected void _toEpilog(DeviceType deviceType, int deviceIndex) => _toEpilog(deviceType, deviceIndex, false);
        }
    }
}
