using System.Text.Json;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>Decodes values of a request to plain values (see <see cref="Tuples"/>).</summary>
/// <param name="session">The state of this process.</param>
/// <param name="block">The number of the block of shared memory with the tensors' elements; -1 if there are no tensors.</param>
internal sealed unsafe class ValueDecoder(HostSession session, long block)
{
    /// <summary>The size in bytes from which a tensor uses the block's memory. Smaller tensors are copied, which is faster.</summary>
    private const long WrapThreshold = 1 << 20;

    private TensorAccess Access => session.Library!.Tensors;

    /// <summary>Decodes an array of positional arguments and an object of keyword arguments.</summary>
    internal (object?[] Positional, DictOfValues Named) DecodeArguments(JsonElement arguments) =>
        (DecodeItems(arguments[0]), DecodeMap(arguments[1]));

    /// <summary>Decodes a value.</summary>
    /// <exception cref="ArgumentException">
    /// The value is of an unknown kind, or refers to an object or module that this process lacks.
    /// </exception>
    /// <exception cref="NotSupportedException">A tensor's element type cannot be sent.</exception>
    internal object? Decode(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.String => value.GetString(),
        JsonValueKind.True or JsonValueKind.False => value.GetBoolean(),
        JsonValueKind.Number => value.GetInt64(),
        JsonValueKind.Array => new ListOfValues(DecodeItems(value)),
        JsonValueKind.Object => DecodeMarked(value.EnumerateObject().First()),
        _ => null,
    };

    /// <summary>Returns a tensor's element type, its sizes, and the address of its elements.</summary>
    internal (int DType, long[] Shape, IntPtr Elements) ReadTensor(JsonElement tensor)
    {
        var dtype = tensor.GetProperty("dtype").GetInt32();
        long[] shape = [.. tensor.GetProperty("shape").EnumerateArray().Select(size => size.GetInt64())];
        var length = TensorAccess.ByteLength(dtype, shape);
        return (dtype, shape, (IntPtr)session.Memory.Address(block, tensor.GetProperty("offset").GetInt64(), length));
    }

    private object? DecodeMarked(JsonProperty value) => value.Name switch
    {
        "tensor" => DecodeTensor(value.Value),
        "float" => DecodeReal(value.Value),
        "tuple" => DecodeItems(value.Value),
        "dict" => DecodeMap(value.Value),
        "object" => session.Objects.Get(value.Value[0].GetInt64()),
        "module" => session.Model(value.Value[0].GetInt64()).Module(value.Value[1].GetString()!).Module,
        _ => throw new ArgumentException($"There is no kind of value '{value.Name}'."),
    };

    private object?[] DecodeItems(JsonElement items) => [.. items.EnumerateArray().Select(Decode)];

    private DictOfValues DecodeMap(JsonElement items) =>
        new([.. items.EnumerateObject().Select(item => KeyValuePair.Create(item.Name, Decode(item.Value)))]);

    private object DecodeTensor(JsonElement tensor)
    {
        var (dtype, shape, elements) = ReadTensor(tensor);
        if (TensorAccess.ByteLength(dtype, shape) >= WrapThreshold && Access.Wrapper is { } wrapper)
        {
            var freed = session.Memory.AddUse();
            if (wrapper.Wrap(dtype, shape, (byte*)elements, freed) is { } made) return made;
            freed();
        }

        return Access.Create(dtype, shape, (byte*)elements);
    }

    private static double DecodeReal(JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Number) return value.GetDouble();
        return value.GetString() switch
        {
            "inf" => double.PositiveInfinity,
            "-inf" => double.NegativeInfinity,
            _ => double.NaN,
        };
    }
}
