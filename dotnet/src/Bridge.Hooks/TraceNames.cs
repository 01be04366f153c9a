namespace Bridge.Hooks;

/// <summary>Resolves the numbers by which a <see cref="TraceBuffer"/> refers to module paths, types, digests and strings.</summary>
public abstract class TraceNames
{
    /// <summary>Returns the module path of an event.</summary>
    public abstract string Path(in EventRecord record);

    /// <summary>Returns the module type of an event.</summary>
    public abstract string Type(in EventRecord record);

    /// <summary>Returns a tensor's digest as 32 lower-case hexadecimal digits; null if the tensor has none.</summary>
    public virtual string? Digest(in ValueRecord value) => null;

    /// <summary>Returns whether the file of tensor values, beside the trace file, contains a tensor's elements.</summary>
    public virtual bool Stored(in ValueRecord value) => false;

    /// <summary>Returns the text of a string; null if the text was not recorded.</summary>
    public virtual string? Text(in ValueRecord value) => null;

    /// <summary>Returns PyTorch's name of a scalar type by libtorch's number.</summary>
    public virtual string DType(int number) => TorchNumbers.Type(number);

    /// <summary>Returns PyTorch's name of a device by libtorch's numbers.</summary>
    public virtual string Device(int type, int index) => DeviceName(type, index);

    /// <summary>Returns PyTorch's name of a device by libtorch's numbers.</summary>
    public static string DeviceName(int type, int index)
    {
        var name = TorchNumbers.Device(type);
        return name is "cpu" or "meta" ? name : $"{name}:{index}";
    }
}
