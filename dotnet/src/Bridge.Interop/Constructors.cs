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

    /// <exception cref="ArgumentException">None fits; all are listed.</exception>
    internal static object Invoke(MethodBase[] constructors, string type, JsonElement arguments)
    {
        var given = arguments.EnumerateArray().ToArray();
        var fitting = constructors.Select(constructor => (constructor, Values: Bind(constructor, given))).Where(item => item.Values is not null)
            .OrderBy(item => item.constructor.IsPublic ? 0 : 1).ThenBy(item => item.constructor.GetParameters().Length).ToArray();
        if (fitting.Length == 0)
        {
            throw new ArgumentException($"The {given.Length} argument(s) {arguments} match no {((constructors[0] is ConstructorInfo) ? "constructor of " : "")}{type}. It has: " +
                string.Join("; ", constructors.Select(constructor => Text(type.Split('.', '+')[^1], constructor))) + ".");
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

    private static object?[]? Bind(MethodBase constructor, JsonElement[] given)
    {
        var parameters = constructor.GetParameters();
        if (given.Length > parameters.Length) return null;
        var values = new object?[parameters.Length];
        for (var i = 0; i < parameters.Length; i++)
        {
            if (i >= given.Length)
            {
                if (!parameters[i].HasDefaultValue) return null;
                values[i] = parameters[i].DefaultValue;
            }
            else if (!TryConvert(given[i], parameters[i].ParameterType, out values[i]))
            {
                return null;
            }
        }

        return values;
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
            (JsonValueKind.Number, TypeCode.Double or TypeCode.Single) => true,
            (JsonValueKind.Number, TypeCode.Int64 or TypeCode.Int32 or TypeCode.Int16 or TypeCode.Byte) => value.TryGetInt64(out _),
            (JsonValueKind.Array, _) when target.IsArray => value.EnumerateArray().All(item => TryConvert(item, target.GetElementType()!, out _)),
            _ => false,
        };
        if (!fits) return false;
        try
        {
            result = target.IsEnum ? Enum.Parse(target, value.GetString()!) : value.Deserialize(target);
            return true;
        }
        catch (Exception exception) when (exception is JsonException or OverflowException or FormatException)
        {
            return false;
        }
    }
}
