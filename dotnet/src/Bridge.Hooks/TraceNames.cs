namespace Bridge.Hooks;

/// <summary>What the numbers in a <see cref="TraceBuffer"/> mean; the side that recorded knows.</summary>
public abstract class TraceNames
{
    private static readonly Dictionary<int, string> Types = Numbered(
        (0, "uint8"), (1, "int8"), (2, "int16"), (3, "int32"), (4, "int64"), (5, "float16"), (6, "float32"), (7, "float64"),
        (8, "complex32"), (9, "complex64"), (10, "complex128"), (11, "bool"), (15, "bfloat16"), (23, "float8_e5m2"),
        (24, "float8_e4m3fn"), (27, "uint16"), (28, "uint32"), (29, "uint64"));

    private static readonly Dictionary<int, string> Devices = Numbered((0, "cpu"), (1, "cuda"), (13, "mps"), (14, "meta"));

    /// <summary>The module path of an event.</summary>
    public abstract string Path(in EventRecord record);

    /// <summary>The module type of an event.</summary>
    public abstract string Type(in EventRecord record);

    /// <summary>A tensor's digest as 32 lower-case hexadecimal digits; null where none was made.</summary>
    public virtual string? Digest(in ValueRecord value) => null;

    /// <summary>Whether a tensor's elements stand in the file of values.</summary>
    public virtual bool Stored(in ValueRecord value) => false;

    /// <summary>The text of a string; null where it was not kept.</summary>
    public virtual string? Text(in ValueRecord value) => null;

    /// <summary>A scalar type by libtorch's number, as PyTorch calls it.</summary>
    public virtual string DType(int number) => Types.TryGetValue(number, out var name) ? name : $"{number}";

    /// <summary>A device by libtorch's numbers, as PyTorch writes it.</summary>
    public virtual string Device(int type, int index)
    {
        var name = Devices.TryGetValue(type, out var known) ? known : $"{type}";
        return name is "cpu" or "meta" ? name : $"{name}:{index}";
    }

    private static Dictionary<int, string> Numbered(params (int Number, string Name)[] names) =>
        names.ToDictionary(item => item.Number, item => item.Name);
}
