using System.Collections;
using System.Runtime.CompilerServices;

namespace Bridge.Conformance.Worlds;

/// <summary>What hooks give, in the types that a module declares: what cannot be so is F-2's error.</summary>
internal static class Fitting
{
    internal static T To<T>(object? value) => (T)To(typeof(T), value)!;

    /// <summary>A tuple, list or dictionary of a program as the one that is declared, if its items fit; others as they are.</summary>
    /// <exception cref="InvalidCastException">It does not fit.</exception>
    internal static object? To(Type type, object? value)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        switch (value)
        {
            case null when !type.IsValueType:
            case not null when type.IsInstanceOfType(value):
                return value;
            case ITuple tuple when type.IsAssignableTo(typeof(ITuple)) && type.GetGenericArguments() is { } types && types.Length == tuple.Length:
                return Activator.CreateInstance(type, types.Select((item, i) => To(item, tuple[i])).ToArray());
            case IList list when type.IsGenericType && type.GetGenericTypeDefinition() == typeof(List<>):
                var items = (IList)Activator.CreateInstance(type)!;
                foreach (var item in list) items.Add(To(type.GetGenericArguments()[0], item));
                return items;
            case IDictionary map when type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Dictionary<,>):
                var entries = (IDictionary)Activator.CreateInstance(type)!;
                foreach (DictionaryEntry entry in map) entries.Add(entry.Key, To(type.GetGenericArguments()[1], entry.Value));
                return entries;
            default:
                throw new InvalidCastException($"{value?.GetType().Name ?? "None"} was given where C# declares {type.Name} (F-2: types in .NET are fixed).");
        }
    }

    /// <summary>The arguments that a hook sees: what was left out at the end is none.</summary>
    internal static object?[] Given(object?[] args) => args.Length == 1 ? args : args[..(Array.FindLastIndex(args, item => item is not null) + 1)];

    /// <summary>The argument of a module with one.</summary>
    internal static object? Only(object?[] args) => args is [var only] ? only : throw Wrong(args, "one");

    /// <summary>The arguments of a module with two and an optional third, of which the second was left out or not.</summary>
    internal static object?[] Several(object?[] args, bool one) => args switch
    {
        [_, _, _] => args,
        [var first, var second] => [first, second, null],
        [var first] when one => [first, null, null],
        _ => throw Wrong(args, "two and an optional third"),
    };

    private static InvalidCastException Wrong(object?[] args, string declared) =>
        new($"{args.Length} arguments were given where C# declares {declared} (F-2: types in .NET are fixed).");
}
