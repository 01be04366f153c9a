namespace Bridge.Hooks;

/// <summary>What the numbers in a <see cref="TraceBuffer"/> mean; the side that recorded knows.</summary>
public abstract class TraceNames
{
    /// <summary>The module path of an event.</summary>
    public abstract string Path(in EventRecord record);

    /// <summary>The module type of an event.</summary>
    public abstract string Type(in EventRecord record);

    /// <summary>A tensor's digest as 32 lower-case hexadecimal digits; null where none was made.</summary>
    public virtual string? Digest(in ValueRecord value) => null;

    /// <summary>Whether a tensor's elements are in the file of values.</summary>
    public virtual bool Stored(in ValueRecord value) => false;

    /// <summary>The text of a string; null where it was not kept.</summary>
    public virtual string? Text(in ValueRecord value) => null;

    /// <summary>A scalar type by libtorch's number, as PyTorch calls it.</summary>
    public virtual string DType(int number) => TorchNumbers.Type(number);

    /// <summary>A device by libtorch's numbers, as PyTorch writes it.</summary>
    public virtual string Device(int type, int index)
    {
        var name = TorchNumbers.Device(type);
        return name is "cpu" or "meta" ? name : $"{name}:{index}";
    }
}
