using TorchSharp;

namespace Bridge.Torch;

/// <summary>Conversion of arguments and results of TorchScript.</summary>
internal static class ScriptValues
{
    /// <summary>Converts arguments to plain values (see <see cref="Tuples"/>); a TorchSharp scalar becomes a number.</summary>
    /// <exception cref="NotSupportedException">A scalar is complex.</exception>
    internal static object?[] Arguments(IEnumerable<object?> values) => values.Select(value => Numbers(Tuples.Unpack(value))).ToArray();

    /// <summary>Converts a plain value to the type of a result.</summary>
    /// <exception cref="InvalidCastException">The value does not convert to <typeparamref name="T"/>.</exception>
    internal static T Result<T>(object? value) =>
        typeof(T) == typeof(object) ? (T)Result(value)! : Result(value) is T result ? result : Tuples<T>.Pack(value);

    /// <summary>
    /// Converts a plain value as TorchSharp does. A number or bool becomes a Scalar. A list becomes an array of tensors, scalars or
    /// objects. A tuple of one to seven items becomes a ValueTuple of the types of its items; <see cref="Tuples.Box"/> converts others.
    /// A dictionary, which TorchSharp does not convert, becomes a Dictionary.
    /// </summary>
    internal static object? Result(object? value)
    {
        switch (value)
        {
            case long number: return number.ToScalar();
            case double number: return number.ToScalar();
            case bool truth: return truth.ToScalar();
            case object?[] items: return Tuple(items);
            case ListOfValues list:
                var made = Array.ConvertAll(list.Items, Result);
                if (Array.TrueForAll(made, item => item is torch.Tensor)) return Array.ConvertAll(made, item => (torch.Tensor)item!);
                return Array.TrueForAll(made, item => item is Scalar) ? Array.ConvertAll(made, item => (Scalar)item!) : made;
            case DictOfValues map when Array.TrueForAll(map.Items, item => item.Value is torch.Tensor):
                return map.Items.ToDictionary(item => item.Key, item => (torch.Tensor)item.Value!);
            case DictOfValues map: return map.Items.ToDictionary(item => item.Key, item => Result(item.Value));
            default: return value;
        }
    }

    private static object Tuple(object?[] items)
    {
        if (items.Length is 0 or > 7) return Tuples.Box(items)!;
        var values = Array.ConvertAll(items, Result);
        var types = Array.ConvertAll(values, value => value?.GetType() ?? typeof(object));
        // A Parameter counts as a Tensor: a caller casts to a tuple with Tensor.
        types = Array.ConvertAll(types, type => typeof(torch.Tensor).IsAssignableFrom(type) ? typeof(torch.Tensor) : type);
        return Activator.CreateInstance(Type.GetType($"System.ValueTuple`{types.Length}")!.MakeGenericType(types), values)!;
    }

    private static object? Numbers(object? value) => value switch
    {
        Scalar { IsComplex: true } => throw new NotSupportedException("A complex Scalar cannot be an argument of TorchScript."),
        Scalar { IsBool: true } scalar => scalar.ToBoolean(),
        Scalar { IsReal: true } scalar => scalar.ToDouble(),
        Scalar scalar => scalar.ToInt64(),
        object?[] items => Array.ConvertAll(items, Numbers),
        ListOfValues list => new ListOfValues(Array.ConvertAll(list.Items, Numbers)),
        DictOfValues map => new DictOfValues(Array.ConvertAll(map.Items, item => KeyValuePair.Create(item.Key, Numbers(item.Value)))),
        _ => value,
    };
}
