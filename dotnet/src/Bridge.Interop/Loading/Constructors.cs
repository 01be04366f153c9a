using System.Globalization;
using System.Reflection;
using System.Text.Json;
using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>Chooses the constructor or method overload that fits arguments from Python, and calls it.</summary>
internal static class Constructors
{
    /// <summary>Returns the public, internal and protected internal constructors of a class.</summary>
    /// <exception cref="ArgumentException">The class has no such constructor; the message lists the others.</exception>
    internal static MethodBase[] Accessible(Type type)
    {
        var all = type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        if (all.Where(IsAccessible).ToArray() is { Length: > 0 } accessible) return accessible;
        var others = string.Join("; ", all.Select(constructor =>
            $"{AccessModifier(constructor)} {ArgumentBinder.Signature(type.Name, constructor)}"));
        throw new ArgumentException($"{CSharpTypeName.Of(type)} has no public or internal constructor. It has: {others}. "
            + "Make one public, or name a static method instead: for a model, one that returns the module.");
    }

    /// <summary>Returns whether a method is public, internal or protected internal.</summary>
    internal static bool IsAccessible(MethodBase method) => method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly;

    /// <summary>Calls the constructor or method that fits the arguments best.</summary>
    /// <param name="constructors">The candidates: constructors, or static methods of one name.</param>
    /// <param name="type">The name of the class or method, for messages.</param>
    /// <param name="arguments">
    /// A JSON array of two items: an array of the positional arguments, and an object of the named arguments. A JSON object with the member
    /// <c>$object</c> stands for the .NET object with the number that is the member's value. A JSON object with the member <c>$number</c>
    /// stands for a number that JSON cannot express; the member's value is a string such as <c>NaN</c>.
    /// </param>
    /// <param name="held">Returns the .NET object with the given number.</param>
    /// <exception cref="ArgumentException">
    /// No candidate fits, or several fit equally well (the message lists them); or the method returned null.
    /// </exception>
    internal static object Invoke(MethodBase[] constructors, string type, JsonElement arguments, Func<long, object?> held)
    {
        var positional = arguments[0].EnumerateArray().Select(item => ToPlain(item, held)).ToArray();
        var named = (DictOfValues)ToPlain(arguments[1], held)!;
        var (chosen, values) = ArgumentBinder.Bind(constructors, type, positional, named);
        return chosen is ConstructorInfo constructor
            ? constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, values, null)
            : chosen.Invoke(null, BindingFlags.DoNotWrapExceptions, null, values, null)
                ?? throw new ArgumentException($"{type} returned null.");
    }

    /// <summary>Converts JSON to a plain value (<see cref="Tuples"/>), or to the .NET object for which it stands.</summary>
    internal static object? ToPlain(JsonElement value, Func<long, object?> held)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.String: return value.GetString();
            case JsonValueKind.True or JsonValueKind.False: return value.GetBoolean();
            case JsonValueKind.Number: return value.TryGetInt64(out var integer) ? (object)integer : value.GetDouble();
            case JsonValueKind.Array: return new ListOfValues([.. value.EnumerateArray().Select(item => ToPlain(item, held))]);
            case JsonValueKind.Object:
                if (value.TryGetProperty("$object", out var number)) return held(number.GetInt64());
                if (value.TryGetProperty("$number", out var text)) return double.Parse(text.GetString()!, CultureInfo.InvariantCulture);
                return new DictOfValues(
                    [.. value.EnumerateObject().Select(item => KeyValuePair.Create(item.Name, ToPlain(item.Value, held)))]);
            default: return null;
        }
    }

    /// <summary>Returns the access modifiers of a method that is not public, as C# writes them.</summary>
    internal static string AccessModifier(MethodBase method) => method switch
    {
        { IsPrivate: true } => "private",
        { IsFamily: true } => "protected",
        { IsAssembly: true } => "internal",
        { IsFamilyAndAssembly: true } => "private protected",
        _ => "protected internal",
    };
}
