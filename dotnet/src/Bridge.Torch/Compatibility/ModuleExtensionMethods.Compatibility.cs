using System.ComponentModel;
using static TorchSharp.torch;

namespace TorchSharp;

// The conversions of TorchSharp 0.102.0 to 0.102.5. They are no extension methods, so that a compiler does not consider them.
public static partial class ModuleExtensionMethods
{
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, ScalarType type) where T : nn.Module => module.to(type, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, Device device, ScalarType type) where T : nn.Module => module.to(device, type, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, DeviceType deviceType, int deviceIndex) where T : nn.Module =>
        module.to(deviceType, deviceIndex, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, Device device) where T : nn.Module => module.to(device, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, string device) where T : nn.Module => module.to(device, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, Tensor other) where T : nn.Module => module.to(other, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cpu<T>(T module) where T : nn.Module => module.cpu(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cuda<T>(T module, int deviceIndex) where T : nn.Module => module.cuda(deviceIndex, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @bool<T>(T module) where T : nn.Module => module.@bool(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @byte<T>(T module) where T : nn.Module => module.@byte(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @char<T>(T module) where T : nn.Module => module.@char(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @short<T>(T module) where T : nn.Module => module.@short(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @int<T>(T module) where T : nn.Module => module.@int(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @long<T>(T module) where T : nn.Module => module.@long(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T half<T>(T module) where T : nn.Module => module.half(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T bfloat16<T>(T module) where T : nn.Module => module.bfloat16(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @float<T>(T module) where T : nn.Module => module.@float(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @double<T>(T module) where T : nn.Module => module.@double(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cfloat<T>(T module) where T : nn.Module => module.cfloat(false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cdouble<T>(T module) where T : nn.Module => module.cdouble(false);
}
