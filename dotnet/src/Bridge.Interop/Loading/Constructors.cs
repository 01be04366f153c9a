using System.Reflection;
using System.Runtime.ExceptionServices;
using System.Text.Json;

namespace Bridge.Interop;

/// <summary>Calls the constructor, or the method of several of one name, that given values fit.</summary>
internal static class Constructors
{
    /// <summary>The constructors that the class's own assembly can call: public and internal ones.</summary>
    /// <exception cref="ArgumentException">It has none; the others are listed.</exception>
    internal static MethodBase[] Of(Type type)
    {
        var all = type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        if (all.Where(IsOpen).ToArray() is { Length: > 0 } open) return open;
        throw new ArgumentException($"{type.FullName} has no public or internal constructor. It has: {string.Join("; ", all.Select(constructor => $"{Access(constructor)} {Text(type.Name, constructor)}"))}. " +
            "Make one public, or load a static method that returns the module.");
    }

    /// <summary>Other classes of its assembly can call it.</summary>
    internal static bool IsOpen(MethodBase method) => method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly;

    /// <param name="constructors">Those to choose from.</param>
    /// <param name="type">The name of what is made.</param>
    /// <param name="arguments">A JSON array of two: the arguments by position, and an object of those by name.</param>
    /// <exception cref="ArgumentException">None fits, or several equally well; they are listed.</exception>
    internal static object Invoke(MethodBase[] constructors, string type, JsonElement arguments)
    {
        var given = arguments[0].EnumerateArray().ToArray();
        var named = arguments[1].EnumerateObject().ToDictionary(item => item.Name, item => item.Value);
        // Public ones, then the fewest defaults, as C# prefers it, then the nearest types.
        var fitting = constructors.Select(constructor => (constructor, Bound: Bind(constructor, given, named))).Where(item => item.Bound.Values is not null)
            .Select(item => (item.constructor, item.Bound.Values, Rank: (!item.constructor.IsPublic, item.constructor.GetParameters().Length, item.Bound.Far))).OrderBy(item => item.Rank).ToArray();
        string Listed(IEnumerable<MethodBase> some) => string.Join("; ", some.Select(constructor => Text(type.Split('.', '+')[^1], constructor)));
        if (fitting.Length == 0)
        {
            throw new ArgumentException($"The {given.Length + named.Count} argument(s) {Shown(given, named)} match no {(constructors[0] is ConstructorInfo ? "constructor of " : "")}{type}. It has: {Listed(constructors)}.");
        }

        var best = fitting.TakeWhile(item => item.Rank == fitting[0].Rank).ToArray();
        if (best.Length > 1)
        {
            throw new ArgumentException($"The {given.Length + named.Count} argument(s) {Shown(given, named)} match several {(constructors[0] is ConstructorInfo ? "constructors of " : "")}{type}: " +
                $"{Listed(best.Select(item => item.constructor))}. Name the parameters, if they differ.");
        }

        try
        {
            return fitting[0].constructor is ConstructorInfo made ? made.Invoke(fitting[0].Values) : fitting[0].constructor.Invoke(null, fitting[0].Values)!;
        }
        catch (TargetInvocationException exception) when (exception.InnerException is { } inner)
        {
            ExceptionDispatchInfo.Throw(inner);
            throw;
        }
    }

    internal static string Access(MethodBase constructor) =>
        constructor.IsPrivate ? "private" : constructor.IsFamily ? "protected" : constructor.IsAssembly ? "internal" : constructor.IsFamilyAndAssembly ? "private protected" : "protected internal";

    private static string Text(string name, MethodBase constructor) =>
        $"{name}({string.Join(", ", constructor.GetParameters().Select(p => $"{p.ParameterType.Name} {p.Name}{(p.HasDefaultValue ? " = …" : "")}"))})";

    private static string Shown(JsonElement[] given, Dictionary<string, JsonElement> named) =>
        $"({string.Join(", ", given.Select(value => value.GetRawText()).Concat(named.Select(item => $"{item.Key}: {item.Value.GetRawText()}")))})";

    /// <summary>A value for each parameter, and how far the given ones are from what is declared; no values where they do not fit.</summary>
    private static (object?[]? Values, int Far) Bind(MethodBase constructor, JsonElement[] given, Dictionary<string, JsonElement> named)
    {
        var parameters = constructor.GetParameters();
        if (given.Length > parameters.Length) return default;
        var values = new object?[parameters.Length];
        var (far, used) = (0, 0);
        for (var i = 0; i < parameters.Length; i++)
        {
            JsonElement value;
            if (i < given.Length) value = given[i];
            else if (!named.TryGetValue(parameters[i].Name!, out value))
            {
                if (!parameters[i].HasDefaultValue) return default;
                // Of a struct's `= default` the metadata say nothing but null.
                values[i] = parameters[i] is { DefaultValue: null, ParameterType.IsValueType: true } ? Activator.CreateInstance(parameters[i].ParameterType) : parameters[i].DefaultValue;
                continue;
            }
            else used++;

            if (!TryConvert(value, parameters[i].ParameterType, out values[i])) return default;
            far += Far(value, parameters[i].ParameterType);
        }

        return used == named.Count ? (values, far) : default;
    }

    // An integer is nearer to an integer than to a real number, a text to a text than to an enumeration's member; None is as near to all.
    private static int Far(JsonElement value, Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        return value.ValueKind switch
        {
            JsonValueKind.Number when target.IsEnum => 2,
            JsonValueKind.Number => value.TryGetInt64(out _) && Type.GetTypeCode(target) is TypeCode.Double or TypeCode.Single ? 1 : 0,
            JsonValueKind.String => target.IsEnum ? 1 : 0,
            JsonValueKind.Array => value.EnumerateArray().Select(item => Far(item, target.GetElementType()!)).DefaultIfEmpty(0).Max(),
            _ => 0,
        };
    }

    private static bool TryConvert(JsonElement value, Type type, out object? result)
    {
        result = null;
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (value.ValueKind == JsonValueKind.Null) return !type.IsValueType || target != type;
        var fits = (value.ValueKind, Type.GetTypeCode(target)) switch
        {
            (JsonValueKind.String, TypeCode.String) => true,
            (JsonValueKind.String, _) when target.IsEnum => Enum.IsDefined(target, value.GetString()!),
            (JsonValueKind.True or JsonValueKind.False, TypeCode.Boolean) => true,
            (JsonValueKind.Number, _) when target.IsEnum => value.TryGetInt64(out var number) && Enum.IsDefined(target, Enum.ToObject(target, number)),
            (JsonValueKind.Number, TypeCode.Double or TypeCode.Single) => true,
            (JsonValueKind.Number, TypeCode.Int64 or TypeCode.Int32 or TypeCode.Int16 or TypeCode.Byte or TypeCode.SByte or TypeCode.UInt16 or TypeCode.UInt32) => value.TryGetInt64(out _),
            (JsonValueKind.Array, _) when target.IsArray => value.EnumerateArray().All(item => TryConvert(item, target.GetElementType()!, out _)),
            _ => false,
        };
        if (!fits) return false;
        try
        {
            result = !target.IsEnum ? value.Deserialize(target)
                : value.ValueKind == JsonValueKind.Number ? Enum.ToObject(target, value.GetInt64()) : Enum.Parse(target, value.GetString()!);
            return true;
        }
        catch (Exception exception) when (exception is JsonException or OverflowException or FormatException)
        {
            return false;
        }
    }
}
