using static TorchSharp.torch;

namespace TorchSharp;

/// <summary>Methods that move or convert a module, and return the same module with its static type.</summary>
public static partial class ModuleExtensionMethods
{
    /// <summary>Converts the floating-point and complex parameters and buffers of the module and its descendants.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to">torch.nn.Module.to</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="type">The element type, floating-point or complex.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">The element type is neither floating-point nor complex.</exception>
    public static T to<T>(this T module, ScalarType type, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(type, non_blocking);

    /// <summary>Moves the module to a device and converts its floating-point and complex parameters and buffers.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to">torch.nn.Module.to</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="device">The device.</param>
    /// <param name="type">The element type, floating-point or complex.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">The element type is neither floating-point nor complex.</exception>
    public static T to<T>(this T module, Device device, ScalarType type, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(device, type, non_blocking);

    /// <summary>Moves the module to a device, given by its type and index.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to">torch.nn.Module.to</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="deviceType">The type of the device.</param>
    /// <param name="deviceIndex">The index of the device; -1 for the current one.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T to<T>(this T module, DeviceType deviceType, int deviceIndex = -1, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(deviceType, deviceIndex, non_blocking);

    /// <summary>Moves the module to a device.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to">torch.nn.Module.to</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="device">The device.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T to<T>(this T module, Device device, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(device.type, device.index, non_blocking);

    /// <summary>Moves the module to a device, given by its name.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to">torch.nn.Module.to</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="device">The name, such as <c>"cuda:0"</c>.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T to<T>(this T module, string device, bool non_blocking = false) where T : nn.Module =>
        module.to(new Device(device), non_blocking);

    /// <summary>Converts the module to the element type and device of a tensor.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to">torch.nn.Module.to</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="other">The tensor, floating-point or complex.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">The tensor's element type is neither floating-point nor complex.</exception>
    public static T to<T>(this T module, Tensor other, bool non_blocking = false) where T : nn.Module => (T)module._to(other, non_blocking);

    /// <summary>Moves the module to the CPU.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.cpu">torch.nn.Module.cpu</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T cpu<T>(this T module, bool non_blocking = false) where T : nn.Module => (T)module._to(DeviceType.CPU, -1, non_blocking);

    /// <summary>Moves the module to a CUDA device.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.cuda">torch.nn.Module.cuda</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="deviceIndex">The index of the device; -1 for the current one.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T cuda<T>(this T module, int deviceIndex = -1, bool non_blocking = false) where T : nn.Module =>
        (T)module._to(DeviceType.CUDA, deviceIndex, non_blocking);

    /// <summary>
    /// Throws, because a module can be converted to floating-point and complex types only, and bool is neither. An
    /// <see cref="Modules.IParameterLessModule"/>, which has nothing to convert, is returned instead.
    /// </summary>
    /// <param name="module">The module.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">Always, unless the module is an <see cref="Modules.IParameterLessModule"/>.</exception>
    public static T @bool<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Bool, non_blocking);

    /// <summary>
    /// Throws, because a module can be converted to floating-point and complex types only, and uint8 is neither. An
    /// <see cref="Modules.IParameterLessModule"/>, which has nothing to convert, is returned instead.
    /// </summary>
    /// <param name="module">The module.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">Always, unless the module is an <see cref="Modules.IParameterLessModule"/>.</exception>
    public static T @byte<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Byte, non_blocking);

    /// <summary>
    /// Throws, because a module can be converted to floating-point and complex types only, and int8 is neither. An
    /// <see cref="Modules.IParameterLessModule"/>, which has nothing to convert, is returned instead.
    /// </summary>
    /// <param name="module">The module.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">Always, unless the module is an <see cref="Modules.IParameterLessModule"/>.</exception>
    public static T @char<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int8, non_blocking);

    /// <summary>
    /// Throws, because a module can be converted to floating-point and complex types only, and int16 is neither. An
    /// <see cref="Modules.IParameterLessModule"/>, which has nothing to convert, is returned instead.
    /// </summary>
    /// <param name="module">The module.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">Always, unless the module is an <see cref="Modules.IParameterLessModule"/>.</exception>
    public static T @short<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int16, non_blocking);

    /// <summary>
    /// Throws, because a module can be converted to floating-point and complex types only, and int32 is neither. An
    /// <see cref="Modules.IParameterLessModule"/>, which has nothing to convert, is returned instead.
    /// </summary>
    /// <param name="module">The module.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">Always, unless the module is an <see cref="Modules.IParameterLessModule"/>.</exception>
    public static T @int<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int32, non_blocking);

    /// <summary>
    /// Throws, because a module can be converted to floating-point and complex types only, and int64 is neither. An
    /// <see cref="Modules.IParameterLessModule"/>, which has nothing to convert, is returned instead.
    /// </summary>
    /// <param name="module">The module.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    /// <exception cref="ArgumentException">Always, unless the module is an <see cref="Modules.IParameterLessModule"/>.</exception>
    public static T @long<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Int64, non_blocking);

    /// <summary>Converts the floating-point and complex parameters and buffers of the module to float16.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.half">torch.nn.Module.half</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T half<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Float16, non_blocking);

    /// <summary>Converts the floating-point and complex parameters and buffers of the module to bfloat16.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.bfloat16">
    /// torch.nn.Module.bfloat16</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T bfloat16<T>(this T module, bool non_blocking = false) where T : nn.Module =>
        module.to(ScalarType.BFloat16, non_blocking);

    /// <summary>Converts the floating-point and complex parameters and buffers of the module to float32.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.float">torch.nn.Module.float</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T @float<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Float32, non_blocking);

    /// <summary>Converts the floating-point and complex parameters and buffers of the module to float64.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.double">torch.nn.Module.double</see>.
    /// </remarks>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T @double<T>(this T module, bool non_blocking = false) where T : nn.Module => module.to(ScalarType.Float64, non_blocking);

    /// <summary>Converts the floating-point and complex parameters and buffers of the module to complex64.</summary>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T cfloat<T>(this T module, bool non_blocking = false) where T : nn.Module =>
        module.to(ScalarType.ComplexFloat32, non_blocking);

    /// <summary>Converts the floating-point and complex parameters and buffers of the module to complex128.</summary>
    /// <param name="module">The module, which changes.</param>
    /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
    /// <returns>The module.</returns>
    public static T cdouble<T>(this T module, bool non_blocking = false) where T : nn.Module =>
        module.to(ScalarType.ComplexFloat64, non_blocking);
}
