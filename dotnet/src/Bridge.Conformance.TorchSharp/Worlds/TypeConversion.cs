using System.Collections;
using System.Runtime.CompilerServices;

namespace Bridge.Conformance.Worlds;

/// <summary>Converts the values of hooks to the types that a module declares (F-2).</summary>
internal static class TypeConversion
{
    internal static T To<T>(object? value) => (T)To(typeof(T), value)!;

    /// <summary>
    /// Converts a tuple, list or dictionary of a hook program, item by item, to the declared type. A value that already has that type is
    /// returned unchanged, as is null for a reference type.
    /// </summary>
    /// <exception cref="InvalidCastException">The value does not fit the type.</exception>
    internal static object? To(Type type, object? value)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        switch (value)
        {
            case null when !type.IsValueType:
            case not null when type.IsInstanceOfType(value):
                return value;
            case ITuple tuple when type.IsAssignableTo(typeof(ITuple)) && type.GetGenericArguments() is { } types
                                   && types.Length == tuple.Length:
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
                throw new InvalidCastException(
                    $"{value?.GetType().Name ?? "None"} was given where C# declares {type.Name} (F-2: types in .NET are fixed).");
        }
    }

    /// <summary>
    /// Returns the arguments without trailing nulls, which stand for arguments that the caller left out. A single argument is kept even if
    /// it is null.
    /// </summary>
    internal static object?[] WithoutOmitted(object?[] args) =>
        args.Length == 1 ? args : args[..(Array.FindLastIndex(args, item => item is not null) + 1)];

    /// <summary>Returns the only argument. Throws <see cref="InvalidCastException"/> if there is another number of arguments.</summary>
    internal static object? Single(object?[] args) => args is [var only] ? only : throw WrongCount(args, "one");

    /// <summary>
    /// Pads a hook's new arguments with nulls to three. A hook may return a single argument only if the caller gave a single argument.
    /// </summary>
    /// <exception cref="InvalidCastException">There are no arguments, more than three, or one although the caller gave several.</exception>
    internal static object?[] PadToThree(object?[] args, bool oneGiven) => args switch
    {
        [_, _, _] => args,
        [var first, var second] => [first, second, null],
        [var first] when oneGiven => [first, null, null],
        _ => throw WrongCount(args, oneGiven ? "one to three" : "one to three, and the call has at least two"),
    };

    private static InvalidCastException WrongCount(object?[] args, string declared) =>
        new($"{args.Length} argument{(args.Length == 1 ? " was" : "s were")} given where C# declares {declared} "
            + "(F-2: types in .NET are fixed).");
}
