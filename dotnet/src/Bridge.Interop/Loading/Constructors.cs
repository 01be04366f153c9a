using System.Reflection;
using System.Runtime.ExceptionServices;
using System.Text.Json;

namespace Bridge.Interop;

/// <summary>Chooses the constructor or method overload that fits arguments from Python, and calls it.</summary>
internal static class Constructors
{
    /// <summary>Returns the public and internal constructors of a class.</summary>
    /// <exception cref="ArgumentException">All constructors are private or protected; the message lists them.</exception>
    internal static MethodBase[] Accessible(Type type)
    {
        var all = type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        if (all.Where(IsAccessible).ToArray() is { Length: > 0 } accessible) return accessible;
        var others = string.Join("; ", all.Select(constructor => $"{AccessModifier(constructor)} {Text(type.Name, constructor)}"));
        throw new ArgumentException($"{type.FullName} has no public or internal constructor. It has: {others}. "
            + "Make one public, or name a static method instead: for a model, one that returns the module.");
    }

    /// <summary>Returns whether all classes of the assembly can call a method.</summary>
    internal static bool IsAccessible(MethodBase method) => method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly;

    /// <summary>Calls the constructor or method that fits the arguments best.</summary>
    /// <param name="constructors">The candidates: constructors, or static methods of one name.</param>
    /// <param name="type">The name of the class or method, for messages.</param>
    /// <param name="arguments">A JSON array of the positional arguments, as an array, and the named arguments, as an object.</param>
    /// <exception cref="ArgumentException">No candidate fits, or several fit equally well; the message lists them.</exception>
    internal static object Invoke(MethodBase[] constructors, string type, JsonElement arguments)
    {
        var positional = arguments[0].EnumerateArray().ToArray();
        var named = arguments[1].EnumerateObject().ToDictionary(item => item.Name, item => item.Value);
        // Public first, then the fewest parameters, and so the fewest defaults, then the closest types. C# compares types before defaults.
        var fitting = constructors.Select(constructor => (constructor, Bound: Bind(constructor, positional, named)))
            .Where(item => item.Bound.Values is not null)
            .Select(item => (item.constructor, item.Bound.Values,
                Rank: (!item.constructor.IsPublic, item.constructor.GetParameters().Length, item.Bound.Distance)))
            .OrderBy(item => item.Rank).ToArray();
        var name = type.Split('.', '+')[^1];
        string List(IEnumerable<MethodBase> methods) => string.Join("; ", methods.Select(method => Text(name, method)));
        var shown = $"The {positional.Length + named.Count} argument(s) {Show(positional, named)}";
        var (singular, plural) = constructors[0] is ConstructorInfo ? ("constructor of ", "constructors of ") : ("", "");
        if (fitting.Length == 0)
            throw new ArgumentException($"{shown} match no {singular}{type}. It has: {List(constructors)}.");

        var best = fitting.TakeWhile(item => item.Rank == fitting[0].Rank).ToArray();
        if (best.Length > 1)
        {
            throw new ArgumentException(
                $"{shown} match several {plural}{type}: {List(best.Select(item => item.constructor))}. "
                + "Pass the arguments by name, if the parameters have different names.");
        }

        try
        {
            var (chosen, values, _) = fitting[0];
            return chosen is ConstructorInfo constructor ? constructor.Invoke(values) : chosen.Invoke(null, values)!;
        }
        catch (TargetInvocationException exception) when (exception.InnerException is { } inner)
        {
            ExceptionDispatchInfo.Throw(inner);
            throw;
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

    private static string Text(string name, MethodBase method)
    {
        var parameters = method.GetParameters()
            .Select(item => $"{item.ParameterType.Name} {item.Name}{(item.HasDefaultValue ? " = …" : "")}");
        return $"{name}({string.Join(", ", parameters)})";
    }

    private static string Show(JsonElement[] positional, Dictionary<string, JsonElement> named) =>
        '(' + string.Join(", ", positional.Select(value => value.GetRawText())
            .Concat(named.Select(item => $"{item.Key}: {item.Value.GetRawText()}"))) + ')';

    /// <summary>
    /// Returns a value for each parameter, and the distance of the arguments from the declared types; <c>Values</c> is null if the
    /// arguments do not fit.
    /// </summary>
    private static (object?[]? Values, int Distance) Bind(
        MethodBase constructor, JsonElement[] positional, Dictionary<string, JsonElement> named)
    {
        var parameters = constructor.GetParameters();
        if (positional.Length > parameters.Length) return default;
        var values = new object?[parameters.Length];
        var (distance, used) = (0, 0);
        for (var i = 0; i < parameters.Length; i++)
        {
            JsonElement value;
            if (i < positional.Length) value = positional[i];
            else if (!named.TryGetValue(parameters[i].Name!, out value))
            {
                if (!parameters[i].HasDefaultValue) return default;
                // Reflection gives null for the default value of a struct parameter `= default`.
                values[i] = parameters[i] is { DefaultValue: null, ParameterType: { IsValueType: true } type }
                    ? Activator.CreateInstance(type) : parameters[i].DefaultValue;
                continue;
            }
            else used++;

            if (!TryConvert(value, parameters[i].ParameterType, out values[i])) return default;
            distance += Distance(value, parameters[i].ParameterType);
        }

        return used == named.Count ? (values, distance) : default;
    }

    // An integer is closest to an integer type, then to a floating-point type, then to an enumeration. A string is closer to a string than
    // to an enumeration. null is equally close to all types.
    private static int Distance(JsonElement value, Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        return value.ValueKind switch
        {
            JsonValueKind.Number when target.IsEnum => 2,
            JsonValueKind.Number => value.TryGetInt64(out _) && Type.GetTypeCode(target) is TypeCode.Double or TypeCode.Single ? 1 : 0,
            JsonValueKind.String => target.IsEnum ? 1 : 0,
            JsonValueKind.Array => value.EnumerateArray().Select(item => Distance(item, target.GetElementType()!)).DefaultIfEmpty(0).Max(),
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
            (JsonValueKind.Number, _) when target.IsEnum =>
                value.TryGetInt64(out var number) && Enum.IsDefined(target, Enum.ToObject(target, number)),
            (JsonValueKind.Number, TypeCode.Double or TypeCode.Single) => true,
            (JsonValueKind.Number, TypeCode.Int64 or TypeCode.Int32 or TypeCode.Int16 or TypeCode.SByte
                or TypeCode.UInt32 or TypeCode.UInt16 or TypeCode.Byte) => value.TryGetInt64(out _),
            (JsonValueKind.Array, _) when target.IsArray =>
                value.EnumerateArray().All(item => TryConvert(item, target.GetElementType()!, out _)),
            _ => false,
        };
        if (!fits) return false;
        try
        {
            result = !target.IsEnum ? value.Deserialize(target)
                : value.ValueKind == JsonValueKind.Number ? Enum.ToObject(target, value.GetInt64())
                : Enum.Parse(target, value.GetString()!);
            return true;
        }
        catch (Exception exception) when (exception is JsonException or OverflowException or FormatException)
        {
            return false;
        }
    }
}
