using System.Reflection;
using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>Value tuples to and from flat arrays; other types pass as they are.</summary>
internal static class Tuples
{
    /// <summary>A ValueTuple's items, nested ones as nested arrays; anything else unchanged.</summary>
    internal static object? Unpack(object? value)
    {
        if (value is not ITuple tuple) return value;
        var items = new object?[tuple.Length];
        for (var i = 0; i < items.Length; i++) items[i] = Unpack(tuple[i]);
        return items;
    }
}

/// <summary>Conversion to one static type.</summary>
internal static class Tuples<T>
{
    private static readonly ConstructorInfo? Constructor =
        typeof(ITuple).IsAssignableFrom(typeof(T)) && typeof(T).IsValueType ? typeof(T).GetConstructors().Single() : null;

    private static readonly MethodInfo[] Items = Constructor?.GetParameters().Select(parameter =>
        typeof(Tuples<>).MakeGenericType(parameter.ParameterType).GetMethod(nameof(PackBoxed), BindingFlags.Static | BindingFlags.NonPublic)!).ToArray() ?? [];

    /// <summary>Makes a <typeparamref name="T"/> of what Python gave.</summary>
    /// <exception cref="InvalidCastException">The value has another type or length (F-2: a .NET result is typed).</exception>
    internal static T Pack(object? value)
    {
        if (value is T exact) return exact;
        if (value is null && default(T) is null) return default!;
        if (value is object?[] items && Constructor is not null && items.Length == Items.Length)
            return (T)Constructor.Invoke(items.Select((item, i) => Items[i].Invoke(null, [item])).ToArray());
        if (value is IConvertible && typeof(T).IsPrimitive)
            return (T)Convert.ChangeType(value, typeof(T), System.Globalization.CultureInfo.InvariantCulture);
        throw new InvalidCastException($"{Name(value)} was given where C# declares {typeof(T).Name}{(Constructor is null ? "" : $" of {Items.Length}")} (F-2: types in .NET are fixed).");
    }

    private static object? PackBoxed(object? value) => Pack(value);

    private static string Name(object? value) => value switch
    {
        null => "None",
        object?[] items => $"a tuple of {items.Length}",
        _ => value.GetType().Name,
    };
}
