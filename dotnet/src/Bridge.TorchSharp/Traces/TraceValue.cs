using System.Globalization;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>An argument or a result of a recorded call.</summary>
public sealed record TraceValue
{
    /// <summary>Gets the kind of the value.</summary>
    public ValueKind Kind { get; init; }

    /// <summary>Gets the sizes of a tensor; empty for a tensor of one element without dimensions, and for other values.</summary>
    public IReadOnlyList<long> Shape { get; init; } = [];

    /// <summary>Gets PyTorch's name of a tensor's element type, such as <c>float32</c>; null for other values.</summary>
    public string? DType { get; init; }

    /// <summary>Gets PyTorch's name of a tensor's device, such as <c>cpu</c> or <c>cuda:0</c>; null for other values.</summary>
    public string? Device { get; init; }

    /// <summary>Gets the digest of a tensor's elements; null if it was not recorded, and for other values.</summary>
    public string? Digest { get; init; }

    /// <summary>Gets a number as a <see cref="long"/> or <see cref="double"/>, a boolean or a string; null for other values.</summary>
    public object? Literal { get; init; }

    /// <summary>Gets the size of a tensor's elements in bytes, as its shape says: a view counts like a copy. 0 for other values.</summary>
    public long Bytes => Shape.Aggregate((long)ElementSize(DType), (bytes, size) => bytes * size);

    /// <summary>Returns a short text: <c>float32[3x4]</c> for a tensor, the value of a number, or the name of the kind.</summary>
    public override string ToString() => DType is null ? Words : $"{DType}{ShapeText}";

    /// <summary>Gets the shape in brackets, such as <c>[3x4]</c>, or the text of a value that is not a tensor.</summary>
    internal string ShortText => DType is null ? Words : ShapeText;

    private string ShapeText => $"[{string.Join("x", Shape)}]";

    private string Words => Literal switch
    {
        null => Kind.ToString().ToLowerInvariant(),
        bool truth => truth ? "true" : "false",
        double real => real.ToString("R", CultureInfo.InvariantCulture),
        string text => $"\"{text}\"",
        var number => Convert.ToString(number, CultureInfo.InvariantCulture)!,
    };

    internal static TraceValue Read(in ValueRecord value, ReadOnlySpan<long> sizes, TraceNames names) => value.Kind switch
    {
        ValueKind.Tensor => new()
        {
            Kind = value.Kind,
            Shape = sizes.ToArray(),
            DType = names.DType(value.Dtype),
            Device = names.Device(value.DeviceType, value.DeviceIndex),
            Digest = names.Digest(value),
        },
        ValueKind.Int => new() { Kind = value.Kind, Literal = value.Payload },
        ValueKind.Float => new() { Kind = value.Kind, Literal = BitConverter.Int64BitsToDouble(value.Payload) },
        ValueKind.Bool => new() { Kind = value.Kind, Literal = value.Payload != 0 },
        ValueKind.Str => new() { Kind = value.Kind, Literal = names.Text(value) },
        _ => new() { Kind = value.Kind },
    };

    // The names of all types but `bool` have the number of bits first: `float8_e4m3fn`, `complex64`.
    private static int ElementSize(string? type)
    {
        if (type is null or "bool") return type is null ? 0 : 1;
        var digits = type.SkipWhile(c => !char.IsAsciiDigit(c)).TakeWhile(char.IsAsciiDigit).ToArray();
        return digits.Length == 0 ? 0 : int.Parse(digits, CultureInfo.InvariantCulture) / 8;
    }
}
