extern alias real;

using Bridge.Interop;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>Gives TorchSharp Python's default dtype and device until this object is disposed.</summary>
internal readonly unsafe ref struct Defaults
{
    private readonly torch.ScalarType _dtype = torch.get_default_dtype();
    private readonly torch.Device _device = torch.get_default_device();

    /// <param name="given">The number of the dtype, and the name of the device, or None to leave TorchSharp's device as it is.</param>
    internal Defaults(BorrowedReference* given)
    {
        var dtype = (torch.ScalarType)(sbyte)Python.ToInt64(given[0]);
        if (dtype != _dtype) torch.set_default_dtype(dtype);
        if (given[1] != Imports.None) torch.set_default_device(Python.ToText(given[1]));
    }

    /// <summary>Restores the defaults that TorchSharp had before.</summary>
    public void Dispose()
    {
        if (torch.get_default_dtype() != _dtype) torch.set_default_dtype(_dtype);
        if (!ReferenceEquals(torch.get_default_device(), _device)) torch.set_default_device(_device);
    }
}
