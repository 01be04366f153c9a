using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>Values that came from Python, as a parameter's type wants them.</summary>
/// <param name="session">The memory that their tensors are in.</param>
/// <param name="block">Which block of it; -1 where there is no tensor.</param>
internal sealed unsafe class Incoming(Session session, long block)
{
    /// <summary>Bytes from which on a tensor is on the block itself: to find out that nobody uses it any more costs as much as a copy of less.</summary>
    private const long Wrapped = 1 << 20;

    private TensorCrossing Crossing => session.Library!.Tensors;

    /// <summary>A value of a type.</summary>
    /// <exception cref="InvalidCastException">It is not of that type.</exception>
    internal object? Read(JsonElement value, Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (value.ValueKind == JsonValueKind.Null) return !type.IsValueType || target != type ? null : throw Unfit(value, type);
        if (value.ValueKind == JsonValueKind.Object)
        {
            if (value.TryGetProperty("tensor", out var tensor) && target.IsAssignableFrom(Crossing.Tensor)) return Tensor(tensor);
            if (value.TryGetProperty("float", out var real)) return Number(Real(real), target) ?? throw Unfit(value, type);
            if (value.TryGetProperty("tuple", out var tuple) && typeof(ITuple).IsAssignableFrom(target) && target.IsGenericType) return Tuple(tuple, target);
            if (value.TryGetProperty("dict", out var dict) && target.IsGenericType) return Dictionary(dict, target) ?? throw Unfit(value, type);
        }

        if (value.ValueKind == JsonValueKind.Array) return List(value, target) ?? throw Unfit(value, type);
        if (value.ValueKind == JsonValueKind.String && target.IsEnum && Enum.TryParse(target, value.GetString(), out var member)) return member;
        if (value.ValueKind == JsonValueKind.String && target.IsAssignableFrom(typeof(string))) return value.GetString();
        if (value.ValueKind is JsonValueKind.True or JsonValueKind.False && target.IsAssignableFrom(typeof(bool))) return value.GetBoolean();
        if (value.ValueKind == JsonValueKind.Number) return Number(value.GetInt64(), target) ?? throw Unfit(value, type);
        throw Unfit(value, type);
    }

    /// <summary>Element type, sizes and memory of a tensor.</summary>
    internal (int DType, long[] Shape, IntPtr Elements) Elements(JsonElement tensor)
    {
        var dtype = tensor.GetProperty("dtype").GetInt32();
        long[] shape = [.. tensor.GetProperty("shape").EnumerateArray().Select(size => size.GetInt64())];
        return (dtype, shape, (IntPtr)session.Memory.At(block, tensor.GetProperty("offset").GetInt64(), TensorCrossing.Length(dtype, shape)));
    }

    private object Tensor(JsonElement tensor)
    {
        var (dtype, shape, elements) = Elements(tensor);
        if (TensorCrossing.Length(dtype, shape) >= Wrapped && Crossing.Wrapping is { } wrapping)
        {
            var freed = session.Memory.Hold();
            if (wrapping.Wrap(dtype, shape, (byte*)elements, freed) is { } made) return made;
            freed();
        }

        return Crossing.Make(dtype, shape, (byte*)elements);
    }

    private object Tuple(JsonElement items, Type type)
    {
        var types = type.GetGenericArguments();
        if (items.GetArrayLength() != types.Length) throw new InvalidCastException($"a tuple of {items.GetArrayLength()} is given where C# has one of {types.Length}");
        return Activator.CreateInstance(type, [.. types.Select((item, i) => Read(items[i], item))])!;
    }

    private object? List(JsonElement items, Type type)
    {
        var item = type.IsArray ? type.GetElementType()! : type.IsGenericType && type.GetGenericArguments() is [var only] ? only : null;
        if (item is null) return null;
        var array = Array.CreateInstance(item, items.GetArrayLength());
        for (var i = 0; i < array.Length; i++) array.SetValue(Read(items[i], item), i);
        if (type.IsAssignableFrom(array.GetType())) return array;
        var list = typeof(List<>).MakeGenericType(item);
        return type.IsAssignableFrom(list) ? Activator.CreateInstance(list, array) : null;
    }

    private object? Dictionary(JsonElement items, Type type)
    {
        if (type.GetGenericArguments() is not [var key, var content] || key != typeof(string)) return null;
        var made = (System.Collections.IDictionary)Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(key, content))!;
        if (!type.IsInstanceOfType(made)) return null;
        foreach (var item in items.EnumerateObject()) made.Add(item.Name, Read(item.Value, content));
        return made;
    }

    private static double Real(JsonElement value) => value.ValueKind == JsonValueKind.Number ? value.GetDouble() : value.GetString() switch
    {
        "inf" => double.PositiveInfinity,
        "-inf" => double.NegativeInfinity,
        _ => double.NaN,
    };

    // A Scalar of TorchSharp is made of a number by a conversion of its own. An integer is what C# declares, a real number never becomes an integer.
    private static object? Number(object number, Type type)
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

    private static InvalidCastException Unfit(JsonElement value, Type type)
    {
        var text = value.GetRawText();
        return new($"{(text.Length > 60 ? text[..60] + "…" : text)} is given where C# declares {type}");
    }
}
