using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>Decodes values of a request, converting each to the type of a parameter.</summary>
/// <param name="session">The session.</param>
/// <param name="block">The number of the block of shared memory with the tensors' elements; -1 if there are no tensors.</param>
internal sealed unsafe class ValueDecoder(HostSession session, long block)
{
    /// <summary>The size in bytes from which a tensor uses the block's memory. Smaller tensors are copied, which is faster.</summary>
    private const long WrapThreshold = 1 << 20;

    private TensorAccess Access => session.Library!.Tensors;

    /// <summary>Decodes a value as a type.</summary>
    /// <exception cref="InvalidCastException">The value does not convert to the type.</exception>
    /// <exception cref="OverflowException">An integer is out of the type's range.</exception>
    internal object? Decode(JsonElement value, Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (value.ValueKind == JsonValueKind.Null) return !type.IsValueType || target != type ? null : throw Mismatch(value, type);
        if (value.ValueKind == JsonValueKind.Object)
        {
            if (value.TryGetProperty("tensor", out var tensor) && target.IsAssignableFrom(Access.Tensor)) return DecodeTensor(tensor);
            if (value.TryGetProperty("float", out var real))
                return ConvertNumber(DecodeReal(real), target) ?? throw Mismatch(value, type);
            if (value.TryGetProperty("tuple", out var tuple) && typeof(ITuple).IsAssignableFrom(target) && target.IsGenericType)
                return DecodeTuple(tuple, target);
            if (value.TryGetProperty("dict", out var dict) && target.IsGenericType)
                return DecodeDictionary(dict, target) ?? throw Mismatch(value, type);
        }

        if (value.ValueKind == JsonValueKind.Array) return DecodeList(value, target) ?? throw Mismatch(value, type);
        if (value.ValueKind == JsonValueKind.String && target.IsEnum && Enum.TryParse(target, value.GetString(), out var member))
            return member;
        if (value.ValueKind == JsonValueKind.String && target.IsAssignableFrom(typeof(string))) return value.GetString();
        if (value.ValueKind is JsonValueKind.True or JsonValueKind.False && target.IsAssignableFrom(typeof(bool)))
            return value.GetBoolean();
        if (value.ValueKind == JsonValueKind.Number) return ConvertNumber(value.GetInt64(), target) ?? throw Mismatch(value, type);
        throw Mismatch(value, type);
    }

    /// <summary>Returns the element type, the sizes and the address of the elements of a tensor.</summary>
    internal (int DType, long[] Shape, IntPtr Elements) ReadTensor(JsonElement tensor)
    {
        var dtype = tensor.GetProperty("dtype").GetInt32();
        long[] shape = [.. tensor.GetProperty("shape").EnumerateArray().Select(size => size.GetInt64())];
        var length = TensorAccess.ByteLength(dtype, shape);
        return (dtype, shape, (IntPtr)session.Memory.Address(block, tensor.GetProperty("offset").GetInt64(), length));
    }

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

    private object DecodeTuple(JsonElement items, Type type)
    {
        var types = type.GetGenericArguments();
        if (items.GetArrayLength() != types.Length)
            throw new InvalidCastException($"a tuple of {items.GetArrayLength()} was given where C# declares a tuple of {types.Length}");
        return Activator.CreateInstance(type, [.. types.Select((item, i) => Decode(items[i], item))])!;
    }

    private object? DecodeList(JsonElement items, Type type)
    {
        var item = type.IsArray ? type.GetElementType()! : type.IsGenericType && type.GetGenericArguments() is [var only] ? only : null;
        if (item is null) return null;
        var array = Array.CreateInstance(item, items.GetArrayLength());
        for (var i = 0; i < array.Length; i++) array.SetValue(Decode(items[i], item), i);
        if (type.IsAssignableFrom(array.GetType())) return array;
        var list = typeof(List<>).MakeGenericType(item);
        return type.IsAssignableFrom(list) ? Activator.CreateInstance(list, array) : null;
    }

    private object? DecodeDictionary(JsonElement items, Type type)
    {
        if (type.GetGenericArguments() is not [var key, var content] || key != typeof(string)) return null;
        var made = (System.Collections.IDictionary)Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(key, content))!;
        if (!type.IsInstanceOfType(made)) return null;
        foreach (var item in items.EnumerateObject()) made.Add(item.Name, Decode(item.Value, content));
        return made;
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

    // A real number does not convert to an integer type. TorchSharp's Scalar has implicit conversions from numbers.
    private static object? ConvertNumber(object number, Type type)
    {
        if (type == typeof(object)) return number;
        if (type.IsEnum) return number is long ? Enum.ToObject(type, number) : null;
        if (Type.GetTypeCode(type) is >= TypeCode.SByte and <= TypeCode.Decimal)
        {
            if (number is double && Type.GetTypeCode(type) < TypeCode.Single) return null;
            return Convert.ChangeType(number, type, CultureInfo.InvariantCulture);
        }

        return type.GetMethod("op_Implicit", [number.GetType()])?.Invoke(null, [number]);
    }

    private static InvalidCastException Mismatch(JsonElement value, Type type)
    {
        var text = value.GetRawText();
        return new($"{(text.Length > 60 ? text[..60] + "…" : text)} was given where C# declares {type}");
    }
}
