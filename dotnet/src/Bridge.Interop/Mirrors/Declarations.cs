using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>What a class of the user's declares that Python can show: fields and properties, types of <c>forward</c>, where its documentation is.</summary>
internal static class Declarations
{
    private static readonly HashSet<Type> Numbers =
        [typeof(byte), typeof(sbyte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong)];

    private static readonly HashSet<Type> Reals = [typeof(float), typeof(double), typeof(Half), typeof(decimal)];

    /// <summary>
    /// Writes <c>members</c> [name, type, can be written, id of its documentation], <c>types</c> (those of the parameters of <c>forward</c>, then the result's; null
    /// for a class of ours), <c>documented</c> [file, id of the class, file, beginning of the id of <c>forward</c>].
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
            Annotate(json, TypeOf(member), null);
            json.WriteBooleanValue(IsWritable(member));
            json.WriteStringValue($"{(member is FieldInfo ? 'F' : 'P')}:{Id(member.DeclaringType!)}.{member.Name}");
            json.WriteEndArray();
        }

        json.WriteEndArray();
        var parameters = own ? module.Parameters?.Select(parameter => parameter.Source).OfType<ParameterInfo>().ToArray() : null;
        var method = parameters is { Length: > 0 } ? (MethodInfo)parameters[0].Member : null;
        json.WriteStartArray("types");
        if (method is not null)
        {
            var nullability = new NullabilityInfoContext();
            foreach (var parameter in parameters!) Annotate(json, parameter.ParameterType, Said(nullability, parameter)?.WriteState);
            Annotate(json, method.ReturnType, Said(nullability, method.ReturnParameter)?.ReadState);
        }

        json.WriteEndArray();
        json.WriteStartArray("documented");
        if (own)
        {
            json.WriteStringValue(ModelContext.FileOf(type.Assembly));
            json.WriteStringValue($"T:{Id(type)}");
            json.WriteStringValue(method is null ? null : ModelContext.FileOf(method.DeclaringType!.Assembly));
            json.WriteStringValue(method is null ? null : $"M:{Id(method.DeclaringType!)}.{method.Name}(");
        }

        json.WriteEndArray();
    }

    // An assembly for .NET Framework looks for the compiler's attributes in its mscorlib, which .NET's has not.
    private static NullabilityInfo? Said(NullabilityInfoContext nullability, ParameterInfo parameter)
    {
        try
        {
            return nullability.Create(parameter);
        }
        catch (Exception exception) when (exception is TypeLoadException or IOException)
        {
            return null;
        }
    }

    /// <summary>The value of a field or property, as Python gets it: an enumeration's member by its name, an array as a tuple, which cannot be written to.</summary>
    /// <exception cref="MissingMemberException">There is none of that name.</exception>
    internal static object? Get(torch.nn.Module module, string name) => Plain(Find(module, name) switch
    {
        FieldInfo field => field.GetValue(module),
        PropertyInfo property => property.GetMethod!.Invoke(module, BindingFlags.DoNotWrapExceptions, null, null, null),
        _ => null,
    });

    /// <summary>Sets a field or property.</summary>
    /// <exception cref="InvalidCastException">The value is not what C# declares.</exception>
    /// <exception cref="ArgumentException">The enumeration has no such member.</exception>
    internal static void Set(torch.nn.Module module, string name, object? value)
    {
        var member = Find(module, name);
        object? made;
        try
        {
            made = Made(value, TypeOf(member));
        }
        catch (InvalidCastException exception)
        {
            throw new InvalidCastException($"'{name}' of {module.GetType().Name}: {exception.Message}");
        }
        catch (ArgumentException)
        {
            var enumeration = Nullable.GetUnderlyingType(TypeOf(member)) ?? TypeOf(member);
            throw new ArgumentException($"'{name}' of {module.GetType().Name}: {enumeration.Name} has no member '{value}', but {string.Join(", ", Enum.GetNames(enumeration))}.");
        }

        if (member is FieldInfo field) field.SetValue(module, made);
        else ((PropertyInfo)member).SetMethod!.Invoke(module, BindingFlags.DoNotWrapExceptions, null, [made], null);
    }

    private static MemberInfo Find(torch.nn.Module module, string name) =>
        Members(module.GetType()).FirstOrDefault(member => member.Name == name) ?? throw new MissingMemberException(module.GetType().Name, name);

    // Those of the most derived class first, which hide others of their name.
    private static IEnumerable<MemberInfo> Members(Type type) =>
        type.GetMembers(BindingFlags.Instance | BindingFlags.Public).Where(IsPlainMember).GroupBy(member => member.Name).Select(group => group.MinBy(member => Depth(type, member))!);

    private static int Depth(Type? type, MemberInfo member)
    {
        var depth = 0;
        for (; type is not null && type != member.DeclaringType; type = type.BaseType) depth++;
        return depth;
    }

    private static bool IsPlainMember(MemberInfo member) => member.DeclaringType!.Assembly != typeof(torch).Assembly && member switch
    {
        FieldInfo field => IsPlain(field.FieldType),
        PropertyInfo property => property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0 && IsPlain(property.PropertyType),
        _ => false,
    };

    private static bool IsWritable(MemberInfo member) => (!HasEnum(TypeOf(member)) || IsEnum(TypeOf(member))) && member switch
    {
        FieldInfo field => !field.IsInitOnly,
        PropertyInfo property => property.SetMethod is { IsPublic: true } set && !set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)),
        _ => false,
    };

    private static Type TypeOf(MemberInfo member) => member is FieldInfo field ? field.FieldType : ((PropertyInfo)member).PropertyType;

    private static bool IsEnum(Type type) => (Nullable.GetUnderlyingType(type) ?? type).IsEnum;

    private static bool HasEnum(Type type) => IsEnum(type) || (Items(type) ?? []).Any(HasEnum);

    /// <summary>The types of what is in a tuple or an array; null for anything else.</summary>
    private static Type[]? Items(Type type) =>
        type.IsArray ? [type.GetElementType()!] : typeof(ITuple).IsAssignableFrom(type) && type.IsGenericType ? type.GetGenericArguments() : null;

    private static bool IsPlain(Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        return target == typeof(bool) || target == typeof(string) || target.IsEnum || Numbers.Contains(target) || Reals.Contains(target)
            || Items(target) is { } items && items.All(IsPlain);
    }

    private static object? Plain(object? value) => value switch
    {
        Enum member => member.ToString(),
        decimal number => (double)number,
        ITuple tuple => Enumerable.Range(0, tuple.Length).Select(i => Plain(tuple[i])).ToArray(),
        Array array => array.Cast<object?>().Select(Plain).ToArray(),
        _ => value,
    };

    private static object? Made(object? value, Type type)
    {
        if (!IsEnum(type) || value is null) return type == typeof(decimal) ? (decimal)Tuples<double>.Pack(value) : Tuples.Packer(type)(value);
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (value is string name) return Enum.IsDefined(target, name) ? Enum.Parse(target, name) : throw new ArgumentException(name);
        var made = Enum.ToObject(target, Tuples<long>.Pack(value));
        return Enum.IsDefined(target, made) ? made : throw new ArgumentException(made.ToString());
    }

    private static string Id(Type type) => (type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName!.Replace('+', '.');

    // A name, or an array of a kind and what it is of: optional, tuple, list, dict.
    private static void Annotate(Utf8JsonWriter json, Type type, NullabilityState? state)
    {
        if (Nullable.GetUnderlyingType(type) is { } value) Kind(json, "optional", value);
        else if (!type.IsValueType && state == NullabilityState.Nullable && Word(type) != "Any") Kind(json, "optional", type);
        else if (typeof(ITuple).IsAssignableFrom(type) && type.IsGenericType) Kind(json, "tuple", type.GetGenericArguments());
        else if (type.IsArray) Kind(json, "list", type.GetElementType()!);
        else if (type.IsGenericType && type.GetGenericArguments() is [var key, var content] && key == typeof(string) && typeof(IEnumerable).IsAssignableFrom(type)) Kind(json, "dict", content);
        else if (type.IsGenericType && type.GetGenericArguments() is [var only] && typeof(IEnumerable).IsAssignableFrom(type)) Kind(json, "list", only);
        else json.WriteStringValue(Word(type));
    }

    private static void Kind(Utf8JsonWriter json, string kind, params Type[] types)
    {
        json.WriteStartArray();
        json.WriteStringValue(kind);
        foreach (var type in types) Annotate(json, type, null);
        json.WriteEndArray();
    }

    private static string Word(Type type) =>
        typeof(torch.Tensor).IsAssignableFrom(type) ? "Tensor"
        : type == typeof(bool) ? "bool"
        : type == typeof(string) || type.IsEnum ? "str"
        : Numbers.Contains(type) ? "int"
        : Reals.Contains(type) ? "float"
        : typeof(IEnumerable).IsAssignableFrom(type) || typeof(ITuple).IsAssignableFrom(type) ? "" : "Any";
}
