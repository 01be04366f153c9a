using System.ComponentModel;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        // The conversions of TorchSharp 0.102.0 to 0.102.5. The current ones call the virtual ones, which old assemblies override.
        public partial class Module
        {
            [EditorBrowsable(EditorBrowsableState.Never)]
            protected internal virtual Module _to(Device device, ScalarType dtype) => Converted(device, dtype, false);

            [EditorBrowsable(EditorBrowsableState.Never)]
            protected internal virtual Module _to(DeviceType deviceType, int deviceIndex) => Converted(deviceType, deviceIndex, false);

            [EditorBrowsable(EditorBrowsableState.Never)]
            protected internal virtual Module _to(ScalarType dtype) => Converted(dtype, false);

            [EditorBrowsable(EditorBrowsableState.Never)]
            public Module _to(Tensor other)
            {
                _to(other.dtype);
                return _to(other.device.type, other.device.index);
            }

            [EditorBrowsable(EditorBrowsableState.Never)]
            protected void _toEpilog(ScalarType dtype) => _toEpilog(dtype, false);

            [EditorBrowsable(EditorBrowsableState.Never)]
            protected void _toEpilog(Device device, ScalarType dtype) => _toEpilog(device, dtype, false);

            [EditorBrowsable(EditorBrowsableState.Never)]
            protected void _toEpilog(DeviceType deviceType, int deviceIndex) => _toEpilog(deviceType, deviceIndex, false);
        }
    }
}
