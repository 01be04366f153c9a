using static TorchSharp.torch;

namespace TorchSharp;

/// <summary>Conversions of modules to a device or element type, which return the module itself by its static type.</summary>
public static partial class ModuleExtensionMethods
{
    /// <summary>Converts the floating-point and complex parameters and buffers of the module and its descendants.</summary>
    public static T to<T>(this T module, ScalarType type, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(type, non_blocking);

    public static T to<T>(this T module, Device device, ScalarType type, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(device, type, non_blocking);

    public static T to<T>(this T module, DeviceType deviceType, int deviceIndex = -1, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(deviceType, deviceIndex, non_blocking);

    public static T to<T>(this T module, Device device, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(device.type, device.index, non_blocking);

    public static T to<T>(this T module, string device, bool non_blocking = false) where T : nn.Module =>
        module.to(new Device(device), non_blocking);

    /// <summary>Converts the module to the element type and device of a tensor.</summary>
    public static T to<T>(this T module, Tensor other, bool non_blocking = false) where T : nn.Module => (T)module._to(other, non_blocking);

    public static T cpu<T>(this T module, bool non_blocking = false) where T : nn.Module => (T)module._to(DeviceType.CPU, -1, non_blocking);

    public static T cuda<T>(this T module, int deviceIndex = -1, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(DeviceType.CUDA, deviceIndex, non_blocking);

    public static T @bool<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Bool, non_blocking);

    public static T @byte<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Byte, non_blocking);

    public static T @char<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int8, non_blocking);

    public static T @short<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int16, non_blocking);

    public static T @int<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int32, non_blocking);

    public static T @long<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int64, non_blocking);

    public static T half<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Float16, non_blocking);

    public static T bfloat16<T>(this T module, bool non_blocking = false) where T : nn.Module =>
        module.to(ScalarType.BFloat16, non_blocking);

    public static T @float<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Float32, non_blocking);

    public static T @double<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Float64, non_blocking);

    public static T cfloat<T>(this T module, bool non_blocking = false) where T : nn.Module =>
        module.to(ScalarType.ComplexFloat32, non_blocking);

    public static T cdouble<T>(this T module, bool non_blocking = false) where T : nn.Module =>
        module.to(ScalarType.ComplexFloat64, non_blocking);
}
