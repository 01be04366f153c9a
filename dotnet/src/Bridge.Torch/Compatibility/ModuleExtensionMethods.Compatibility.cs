using System.ComponentModel;
using static TorchSharp.torch;

namespace TorchSharp;

// The conversions of TorchSharp 0.102.0 to 0.102.5. They are no extension methods, so that a compiler does not consider them.
public static partial class ModuleExtensionMethods
{
    /// <summary>0.102.0 to 0.102.5: converts a module to an element type; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, ScalarType type) where T : nn.Module => module.to(type, false);

    /// <summary>0.102.0 to 0.102.5: converts a module and moves it to a device; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, Device device, ScalarType type) where T : nn.Module => module.to(device, type, false);

    /// <summary>0.102.0 to 0.102.5: moves a module to a device, given by type and index; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, DeviceType deviceType, int deviceIndex) where T : nn.Module =>
        module.to(deviceType, deviceIndex, false);

    /// <summary>0.102.0 to 0.102.5: moves a module to a device; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, Device device) where T : nn.Module => module.to(device, false);

    /// <summary>0.102.0 to 0.102.5: moves a module to a device, given by its name; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, string device) where T : nn.Module => module.to(device, false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to the element type and device of a tensor; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T to<T>(T module, Tensor other) where T : nn.Module => module.to(other, false);

    /// <summary>0.102.0 to 0.102.5: moves a module to the CPU; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cpu<T>(T module) where T : nn.Module => module.cpu(false);

    /// <summary>0.102.0 to 0.102.5: moves a module to a CUDA device; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cuda<T>(T module, int deviceIndex) where T : nn.Module => module.cuda(deviceIndex, false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to bool, which throws unless it is parameterless; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @bool<T>(T module) where T : nn.Module => module.@bool(false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to uint8, which throws unless it is parameterless; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @byte<T>(T module) where T : nn.Module => module.@byte(false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to int8, which throws unless it is parameterless; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @char<T>(T module) where T : nn.Module => module.@char(false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to int16, which throws unless it is parameterless; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @short<T>(T module) where T : nn.Module => module.@short(false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to int32, which throws unless it is parameterless; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @int<T>(T module) where T : nn.Module => module.@int(false);

    /// <summary>
    /// 0.102.0 to 0.102.5: converts a module to int64, which throws unless it is parameterless; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @long<T>(T module) where T : nn.Module => module.@long(false);

    /// <summary>0.102.0 to 0.102.5: converts a module to float16; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T half<T>(T module) where T : nn.Module => module.half(false);

    /// <summary>0.102.0 to 0.102.5: converts a module to bfloat16; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T bfloat16<T>(T module) where T : nn.Module => module.bfloat16(false);

    /// <summary>0.102.0 to 0.102.5: converts a module to float32; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @float<T>(T module) where T : nn.Module => module.@float(false);

    /// <summary>0.102.0 to 0.102.5: converts a module to float64; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T @double<T>(T module) where T : nn.Module => module.@double(false);

    /// <summary>0.102.0 to 0.102.5: converts a module to complex64; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cfloat<T>(T module) where T : nn.Module => module.cfloat(false);

    /// <summary>0.102.0 to 0.102.5: converts a module to complex128; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static T cdouble<T>(T module) where T : nn.Module => module.cdouble(false);
}
