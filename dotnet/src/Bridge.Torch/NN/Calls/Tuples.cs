using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>A list of plain values (see <see cref="Tuples"/>), in contrast to an <c>object?[]</c>, which is a tuple.</summary>
/// <param name="items">The items, as plain values.</param>
internal sealed class ListOfValues(object?[] items)
{
    internal readonly object?[] Items = items;
}

/// <summary>A dictionary from strings to plain values (see <see cref="Tuples"/>).</summary>
/// <param name="Items">The items in their order, as plain values.</param>
internal sealed record DictOfValues(KeyValuePair<string, object?>[] Items)
{
    internal static readonly DictOfValues Empty = new([]);
}

/// <summary>
/// Conversion of module arguments and results to and from plain values, which correspond to Python values. A tuple becomes an
/// <c>object?[]</c>, an array or list a <see cref="ListOfValues"/>, a dictionary with string keys a <see cref="DictOfValues"/>.
/// </summary>
internal static class Tuples
{
    /// <summary>
    /// Converts tuples, arrays, lists and dictionaries with string keys to plain values, enumeration members and characters to strings, and
    /// decimals to doubles; returns other values unchanged.
    /// </summary>
    /// <exception cref="InsufficientExecutionStackException">The value is nested too deeply, or contains itself.</exception>
    internal static object? Unpack(object? value)
    {
        if (value is null or torch.Tensor or string or bool or int or long or float or double) return value;
        Nesting.Check();
        return value switch
        {
            ITuple tuple => Enumerable.Range(0, tuple.Length).Select(i => Unpack(tuple[i])).ToArray(),
            IDictionary map when map.Keys.Cast<object>().All(key => key is string) =>
                new DictOfValues(map.Keys.Cast<string>().Select(key => KeyValuePair.Create(key, Unpack(map[key]))).ToArray()),
            IList list => new ListOfValues(list.Cast<object?>().Select(Unpack).ToArray()),
            Enum member => member.ToString(),
            decimal number => (double)number,
            char letter => letter.ToString(),
            _ => value,
        };
    }

    /// <summary>
    /// Converts a plain value for C# code that expects an <c>object</c>: a tuple to a ValueTuple, a list to a List, a dictionary to a
    /// Dictionary. Returns other values unchanged.
    /// </summary>
    /// <exception cref="InsufficientExecutionStackException">The value is nested too deeply.</exception>
    internal static object? Box(object? value)
    {
        if (value is not (object?[] or ListOfValues or DictOfValues)) return value;
        Nesting.Check();
        return value switch
        {
            object?[] items => Tuple(items.Select(Box).ToArray()),
            ListOfValues list => list.Items.Select(Box).ToList(),
            DictOfValues map => map.Items.ToDictionary(item => item.Key, item => Box(item.Value)),
            _ => value,
        };
    }

    /// <summary>
    /// Returns whether the values are the same object, equal structs or numbers of one type, or tuples of such items. Never compares
    /// elements of tensors.
    /// </summary>
    internal static bool IsSame(object? first, object? second) => (first, second) switch
    {
        (ITuple a, ITuple b) => a.Length == b.Length && Enumerable.Range(0, a.Length).All(i => IsSame(a[i], b[i])),
        (ValueType a, ValueType b) => a.Equals(b),
        _ => ReferenceEquals(first, second),
    };

    /// <summary>
    /// Returns the type of the items of a one-dimensional array, a list, a sequence, or a collection that can be constructed from a
    /// sequence, such as a set; null for any other type.
    /// </summary>
    internal static Type? ElementOf(Type type)
    {
        if (type.IsArray) return type.GetArrayRank() == 1 ? type.GetElementType() : null;
        if (!type.IsGenericType || !typeof(IEnumerable).IsAssignableFrom(type) || type.GetGenericArguments() is not [var only]) return null;
        return type.IsAssignableFrom(typeof(List<>).MakeGenericType(only)) || SequenceConstructor(type, only) is not null ? only : null;
    }

    /// <summary>Returns the type of the values of a dictionary with string keys; null for any other type.</summary>
    internal static Type? MapValueOf(Type type) =>
        type.IsGenericType && type.GetGenericArguments() is [var key, var content] && key == typeof(string)
        && type.IsAssignableFrom(typeof(Dictionary<,>).MakeGenericType(key, content)) ? content : null;

    /// <summary>Returns the constructor of a collection, such as a set or a queue, that takes a sequence; null if there is none.</summary>
    internal static ConstructorInfo? SequenceConstructor(Type type, Type element) =>
        type.IsAbstract ? null : type.GetConstructor([typeof(IEnumerable<>).MakeGenericType(element)]);

    /// <summary>
    /// Returns <see cref="Tuples{T}.Pack"/> for a type, as a delegate: a call by reflection would wrap exceptions.
    /// </summary>
    internal static Func<object?, object?> Packer(Type type) =>
        typeof(Tuples<>).MakeGenericType(type).GetMethod(nameof(Tuples<object>.PackBoxed),
            BindingFlags.Static | BindingFlags.NonPublic)!.CreateDelegate<Func<object?, object?>>();

    private static object Tuple(object?[] items)
    {
        if (items.Length == 0) return ValueTuple.Create();
        // The eighth item of a ValueTuple is a tuple of the items after the seventh.
        var parts = items.Length < 8 ? items : [.. items[..7], Tuple(items[7..])];
        var types = parts.Select((part, i) => i == 7 ? part!.GetType() : typeof(object)).ToArray();
        return Activator.CreateInstance(OpenTypes[parts.Length - 1].MakeGenericType(types), parts)!;
    }

    private static readonly Type[] OpenTypes =
    [
        typeof(ValueTuple<>), typeof(ValueTuple<,>), typeof(ValueTuple<,,>), typeof(ValueTuple<,,,>),
        typeof(ValueTuple<,,,,>), typeof(ValueTuple<,,,,,>), typeof(ValueTuple<,,,,,,>), typeof(ValueTuple<,,,,,,,>),
    ];
}

/// <summary>Conversion of plain values to one static type.</summary>
internal static class Tuples<T>
{
    private static readonly Type Target = Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T);

    private static readonly ConstructorInfo? Constructor =
        typeof(ITuple).IsAssignableFrom(Target)
            ? Target.GetConstructors().FirstOrDefault(constructor => constructor.GetParameters().Length > 0) : null;

    private static readonly Func<object?, object?>[] PackItems = Constructor?.GetParameters()
        .Select(parameter => Tuples.Packer(parameter.ParameterType)).ToArray() ?? [];

    private static readonly Type? Element = Tuples.ElementOf(Target);

    private static readonly Func<object?, object?>? PackElement = Element is null ? null : Tuples.Packer(Element);

    private static readonly Type? MapValue = Tuples.MapValueOf(Target);

    private static readonly Func<object?, object?>? PackMapValue = MapValue is null ? null : Tuples.Packer(MapValue);

    /// <summary>Converts a value from Python or a hook to <typeparamref name="T"/>.</summary>
    /// <exception cref="InvalidCastException">The value has another type or length (F-2: types in .NET are fixed).</exception>
    /// <exception cref="OverflowException">A number is out of the range of its type.</exception>
    internal static T Pack(object? value)
    {
        if (typeof(T) == typeof(object)) return (T)Tuples.Box(value)!;
        if (value is T exact && value is not object?[]) return exact;
        if (value is null && default(T) is null) return default!;
        var items = value as object?[] ?? (value as ListOfValues)?.Items;
        if (typeof(T) == typeof(torch.nn.utils.rnn.PackedSequence) && torch.nn.utils.rnn.PackedSequence.Of(value) is { } sequence)
            return (T)(object)sequence;
        // The eighth item of a ValueTuple is a tuple of the items after the seventh.
        if (items is { Length: >= 8 } && PackItems.Length == 8) items = [.. items[..7], items[7..]];
        if (items is not null && Constructor is not null && items.Length == PackItems.Length)
            return (T)Constructor.Invoke(items.Select((item, i) => PackItems[i](item)).ToArray());
        if (items is not null && Element is not null) return PackList(items);
        if (value is DictOfValues map && MapValue is not null) return PackMap(map);
        if (value is IConvertible and not string && Target.IsPrimitive && Fits(value))
            return (T)Convert.ChangeType(value, Target, CultureInfo.InvariantCulture);
        if (value is double or long && Target == typeof(Half))
            return (T)(object)(Half)Convert.ToDouble(value, CultureInfo.InvariantCulture);
        return PackOther(value);
    }

    // Converts to types that few models declare, such as enumerations, delegates, and classes of the model's assembly.
    private static T PackOther(object? value)
    {
        if (Target.IsEnum && value is string or long) return (T)PackEnum(value);
        if (value is CallableFromPython function && typeof(Delegate).IsAssignableFrom(Target))
            return (T)(object)function.ToDelegate(Target);
        if (value is DictOfValues given && ObjectPacker.CanCreate(Target)) return (T)ObjectPacker.Create(Target, given);
        if (Target == typeof(decimal) && value is long or double) return (T)(object)Convert.ToDecimal(value, CultureInfo.InvariantCulture);
        if (Target == typeof(char) && value is string { Length: 1 } text) return (T)(object)text[0];
        if (value is not null && ValueFit.ImplicitOperator(value, Target) is { } convert)
            return (T)convert.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [value], null)!;
        var declared = CSharpTypeName.Of(typeof(T)) + CSharpNames.OfAnotherLoad(value, Target);
        throw new InvalidCastException($"{Describe(value)} was given where C# declares {declared} (F-2: types in .NET are fixed).");
    }

    private static object PackEnum(object value)
    {
        if (value is string name && Enum.IsDefined(Target, name)) return Enum.Parse(Target, name);
        if (value is long number && Enum.ToObject(Target, number) is var member && Enum.IsDefined(Target, member)) return member;
        throw new InvalidCastException(
            $"{CSharpTypeName.Of(Target)} has no member '{value}'. It has {string.Join(", ", Enum.GetNames(Target))}.");
    }

    private static T PackList(object?[] items)
    {
        var array = Array.CreateInstance(Element!, items.Length);
        for (var i = 0; i < items.Length; i++) array.SetValue(PackElement!(items[i]), i);
        if (Target.IsArray) return (T)(object)array;
        var list = typeof(List<>).MakeGenericType(Element!);
        return (T)(Target.IsAssignableFrom(list) ? Activator.CreateInstance(list, array)!
            : Tuples.SequenceConstructor(Target, Element!)!.Invoke([array]));
    }

    private static T PackMap(DictOfValues map)
    {
        var made = (IDictionary)Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(typeof(string), MapValue!))!;
        foreach (var (key, value) in map.Items) made.Add(key, PackMapValue!(value));
        return (T)made;
    }

    // An integer fits a floating-point type, but 1.5 does not fit a long. A bool fits only a bool.
    private static bool Fits(object value) =>
        Target == typeof(bool) ? value is bool : value is not bool
            && (value is long or int || Target == typeof(double) || Target == typeof(float));

    internal static object? PackBoxed(object? value) => Pack(value);

    private static string Describe(object? value) => value switch
    {
        null => "None",
        object?[] items => $"a tuple of {items.Length}",
        ListOfValues list => $"a list of {list.Items.Length}",
        DictOfValues map => $"a dictionary of {map.Items.Length}",
        CallableFromPython => "a Python function",
        _ => CSharpTypeName.Of(value.GetType()),
    };
}
