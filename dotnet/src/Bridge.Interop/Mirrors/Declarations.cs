using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>Reads a user's class for Python: fields and properties, the types of <c>forward</c>, documentation ids.</summary>
internal static class Declarations
{
    private static readonly HashSet<Type> Integers =
        [typeof(byte), typeof(sbyte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong)];

    private static readonly HashSet<Type> Reals = [typeof(float), typeof(double), typeof(Half), typeof(decimal)];

    /// <summary>
    /// Writes arrays, which are empty for a built-in class:
    /// <list type="bullet">
    /// <item><c>members</c>: for each public field and property that converts to Python [name, type, is writable, documentation id]</item>
    /// <item><c>types</c>: the types of <c>forward</c>'s parameters, then the type of the result</item>
    /// <item><c>documented</c>: the assembly file of the class, the documentation id of the class, the assembly file of <c>forward</c>, and
    /// the start of the documentation id of <c>forward</c></item>
    /// </list>
    /// </summary>
    internal static void Write(Utf8JsonWriter json, torch.nn.Module module)
    {
        var type = module.GetType();
        var own = type.Assembly != typeof(torch).Assembly;
        json.WriteStartArray("members");
        foreach (var member in own ? Members(type) : [])
        {
            json.WriteStartArray();
            json.WriteStringValue(member.Name);
            WriteType(json, TypeOf(member), null);
            json.WriteBooleanValue(IsWritable(member));
            json.WriteStringValue($"{(member is FieldInfo ? 'F' : 'P')}:{DocumentationId(member.DeclaringType!)}.{member.Name}");
            json.WriteEndArray();
        }

        json.WriteEndArray();
        var parameters = own ? module.Parameters?.Select(parameter => parameter.Source).OfType<ParameterInfo>().ToArray() : null;
        var method = parameters is { Length: > 0 } ? (MethodInfo)parameters[0].Member : null;
        json.WriteStartArray("types");
        if (method is not null)
        {
            var nullability = new NullabilityInfoContext();
            foreach (var parameter in parameters!)
                WriteType(json, parameter.ParameterType, Nullability(nullability, parameter)?.WriteState);
            WriteType(json, method.ReturnType, Nullability(nullability, method.ReturnParameter)?.ReadState);
        }

        json.WriteEndArray();
        json.WriteStartArray("documented");
        if (own)
        {
            json.WriteStringValue(ModelLoadContext.FileOf(type.Assembly));
            json.WriteStringValue($"T:{DocumentationId(type)}");
            json.WriteStringValue(method is null ? null : ModelLoadContext.FileOf(method.DeclaringType!.Assembly));
            json.WriteStringValue(method is null ? null : $"M:{DocumentationId(method.DeclaringType!)}.{method.Name}(");
        }

        json.WriteEndArray();
    }

    // Returns null if the assembly is for .NET Framework, whose compiler attributes are missing from .NET's mscorlib.
    private static NullabilityInfo? Nullability(NullabilityInfoContext context, ParameterInfo parameter)
    {
        try
        {
            return context.Create(parameter);
        }
        catch (Exception exception) when (exception is TypeLoadException or IOException)
        {
            return null;
        }
    }

    /// <summary>Returns the value of a field or property for Python: an enumeration member as its name, an array as a tuple.</summary>
    /// <exception cref="MissingMemberException">The class has no such member.</exception>
    internal static object? Get(torch.nn.Module module, string name) => ToPython(Find(module, name) switch
    {
        FieldInfo field => field.GetValue(module),
        PropertyInfo property => property.GetMethod!.Invoke(module, BindingFlags.DoNotWrapExceptions, null, null, null),
        _ => null,
    });

    /// <summary>Sets a field or property.</summary>
    /// <exception cref="InvalidCastException">The value does not have the declared type.</exception>
    /// <exception cref="ArgumentException">The enumeration has no such member.</exception>
    internal static void Set(torch.nn.Module module, string name, object? value)
    {
        var member = Find(module, name);
        object? converted;
        try
        {
            converted = FromPython(value, TypeOf(member));
        }
        catch (InvalidCastException exception)
        {
            throw new InvalidCastException($"'{name}' of {module.GetType().Name}: {exception.Message}");
        }
        catch (ArgumentException)
        {
            var enumeration = Nullable.GetUnderlyingType(TypeOf(member)) ?? TypeOf(member);
            var names = string.Join(", ", Enum.GetNames(enumeration));
            throw new ArgumentException(
                $"'{name}' of {module.GetType().Name}: {enumeration.Name} has no member '{value}'. It has {names}.");
        }

        if (member is FieldInfo field) field.SetValue(module, converted);
        else ((PropertyInfo)member).SetMethod!.Invoke(module, BindingFlags.DoNotWrapExceptions, null, [converted], null);
    }

    private static MemberInfo Find(torch.nn.Module module, string name) =>
        Members(module.GetType()).FirstOrDefault(member => member.Name == name)
        ?? throw new MissingMemberException(module.GetType().Name, name);

    // Members of a derived class hide base class members of the same name.
    private static IEnumerable<MemberInfo> Members(Type type) =>
        type.GetMembers(BindingFlags.Instance | BindingFlags.Public).Where(IsConvertibleMember)
            .GroupBy(member => member.Name).Select(group => group.MinBy(member => Depth(type, member))!);

    private static int Depth(Type? type, MemberInfo member)
    {
        var depth = 0;
        for (; type is not null && type != member.DeclaringType; type = type.BaseType) depth++;
        return depth;
    }

    // A member whose type is missing is not read, so the class can be used without it.
    private static bool IsConvertibleMember(MemberInfo member)
    {
        try
        {
            return member.DeclaringType!.Assembly != typeof(torch).Assembly && member switch
            {
                FieldInfo field => IsConvertible(field.FieldType),
                PropertyInfo { GetMethod.IsPublic: true } property =>
                    property.GetIndexParameters().Length == 0 && IsConvertible(property.PropertyType),
                _ => false,
            };
        }
        catch (Exception exception) when (exception is TypeLoadException or IOException)
        {
            return false;
        }
    }

    private static bool IsWritable(MemberInfo member) => (!HasEnum(TypeOf(member)) || IsEnum(TypeOf(member))) && member switch
    {
        FieldInfo field => !field.IsInitOnly,
        PropertyInfo { SetMethod: { IsPublic: true } set } =>
            !set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)),
        _ => false,
    };

    private static Type TypeOf(MemberInfo member) => member is FieldInfo field ? field.FieldType : ((PropertyInfo)member).PropertyType;

    private static bool IsEnum(Type type) => (Nullable.GetUnderlyingType(type) ?? type).IsEnum;

    private static bool HasEnum(Type type) => IsEnum(type) || (Items(type) ?? []).Any(HasEnum);

    /// <summary>Returns the types of a tuple's or an array's items; null for any other type.</summary>
    private static Type[]? Items(Type type) =>
        type.IsArray ? [type.GetElementType()!] : IsTuple(type) ? type.GetGenericArguments() : null;

    private static bool IsConvertible(Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        return target == typeof(bool) || target == typeof(string) || target.IsEnum || Integers.Contains(target) || Reals.Contains(target)
            || Items(target) is { } items && items.All(IsConvertible);
    }

    private static object? ToPython(object? value) => value switch
    {
        Enum member => member.ToString(),
        decimal number => (double)number,
        ITuple tuple => Enumerable.Range(0, tuple.Length).Select(i => ToPython(tuple[i])).ToArray(),
        Array array => array.Cast<object?>().Select(ToPython).ToArray(),
        _ => value,
    };

    private static object? FromPython(object? value, Type type)
    {
        if (type == typeof(decimal)) return (decimal)Tuples<double>.Pack(value);
        if (!IsEnum(type) || value is null) return Tuples.Packer(type)(value);
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (value is string name) return Enum.IsDefined(target, name) ? Enum.Parse(target, name) : throw new ArgumentException(name);
        var member = Enum.ToObject(target, Tuples<long>.Pack(value));
        return Enum.IsDefined(target, member) ? member : throw new ArgumentException(member.ToString());
    }

    private static string DocumentationId(Type type) =>
        (type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName!.Replace('+', '.');

    // Writes the name of a type, or an array: "optional", "tuple", "list" or "dict", then the types of the items.
    private static void WriteType(Utf8JsonWriter json, Type type, NullabilityState? state)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying) WriteComposite(json, "optional", underlying);
        else if (!type.IsValueType && state == NullabilityState.Nullable && TypeName(type) != "Any") WriteComposite(json, "optional", type);
        else if (IsTuple(type)) WriteComposite(json, "tuple", type.GetGenericArguments());
        else if (type.IsArray) WriteComposite(json, "list", type.GetElementType()!);
        else if (IsSequence(type) && type.GetGenericArguments() is [var key, var value] && key == typeof(string))
            WriteComposite(json, "dict", value);
        else if (IsSequence(type) && type.GetGenericArguments() is [var item]) WriteComposite(json, "list", item);
        else json.WriteStringValue(TypeName(type));
    }

    private static bool IsTuple(Type type) => type.IsGenericType && typeof(ITuple).IsAssignableFrom(type);

    private static bool IsSequence(Type type) => type.IsGenericType && typeof(IEnumerable).IsAssignableFrom(type);

    private static void WriteComposite(Utf8JsonWriter json, string kind, params Type[] types)
    {
        json.WriteStartArray();
        json.WriteStringValue(kind);
        foreach (var type in types) WriteType(json, type, null);
        json.WriteEndArray();
    }

    private static string TypeName(Type type) =>
        typeof(torch.Tensor).IsAssignableFrom(type) ? "Tensor"
        : type == typeof(bool) ? "bool"
        : type == typeof(string) || type.IsEnum ? "str"
        : Integers.Contains(type) ? "int"
        : Reals.Contains(type) ? "float"
        : typeof(IEnumerable).IsAssignableFrom(type) || typeof(ITuple).IsAssignableFrom(type) ? "" : "Any";
}
