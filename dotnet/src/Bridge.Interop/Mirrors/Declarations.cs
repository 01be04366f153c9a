using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>Describes a user's module class to Python, and reads and sets the public fields and properties of its instances.</summary>
internal static class Declarations
{
    /// <summary>
    /// Writes arrays, which are empty for a built-in class:
    /// <list type="bullet">
    /// <item><c>members</c>: an array for each public field and property that converts to Python: its name, its type, whether it is
    /// writable, its documentation id, and whether it can be set only while the object is created (the <c>repr</c> in Python shows only
    /// the members that are set in this way)</item>
    /// <item><c>types</c>: the types of <c>forward</c>'s parameters, then the type of the result; empty if there are no parameters</item>
    /// <item><c>constructors</c>: the declarations of the constructors that Python can call</item>
    /// <item><c>declarations</c>: the declarations of <c>forward</c>, if there are several</item>
    /// <item><c>documented</c>: the assembly file of the class, the documentation id of the class, the assembly file of <c>forward</c>, and
    /// the start of the documentation id of <c>forward</c>; the last two are null if <c>forward</c> has no parameters</item>
    /// </list>
    /// </summary>
    internal static void Write(Utf8JsonWriter json, torch.nn.Module module)
    {
        var type = module.GetType();
        var own = type.Assembly != typeof(torch).Assembly;
        json.WriteStartArray("members");
        // The members of base classes first. In each class, fields and auto-properties in the order of their declarations, then other
        // properties.
        foreach (var member in (own ? Members(type) : []).OrderByDescending(member => MemberNames.Depth(type, member))
            .ThenBy(member => PythonTypes.Field(member)?.MetadataToken ?? int.MaxValue))
        {
            json.WriteStartArray();
            json.WriteStringValue(member.Name);
            PythonTypes.Write(json, MemberNames.TypeOf(member));
            json.WriteBooleanValue(IsWritable(member));
            json.WriteStringValue($"{(member is FieldInfo ? 'F' : 'P')}:{DocumentationId(member.DeclaringType!)}.{member.Name}");
            json.WriteBooleanValue(PythonTypes.IsSetByConstructor(member));
            json.WriteEndArray();
        }

        json.WriteEndArray();
        var parameters = own ? module.Parameters?.Select(parameter => parameter.Source).OfType<ParameterInfo>().ToArray() : null;
        var method = parameters is { Length: > 0 } ? (MethodInfo)parameters[0].Member : null;
        json.WriteStartArray("types");
        if (method is not null) PythonTypes.WriteSignature(json, parameters!, method.ReturnParameter);
        json.WriteEndArray();
        WriteTexts(json, "constructors", own ? Constructors(type) : []);
        WriteTexts(json, "declarations", method is not null && Overloads(module) is { Length: > 1 } overloads ? overloads : []);
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

    private static void WriteTexts(Utf8JsonWriter json, string key, IEnumerable<string> texts)
    {
        json.WriteStartArray(key);
        foreach (var text in texts) json.WriteStringValue(text);
        json.WriteEndArray();
    }

    private static IEnumerable<string> Constructors(Type type) =>
        type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Where(Bridge.Interop.Constructors.IsAccessible)
            .Select(constructor => $"{CSharpTypeName.Of(type)}({CSharpNames.Of(constructor.GetParameters())})");

    private static string[] Overloads(torch.nn.Module module) =>
        (module.HasCall ? ForwardOverloads.Added(module.GetType()) : ForwardOverloads.Of(module.GetType()))?.Methods.Select(Text)
            .ToArray() ?? [];

    private static string Text(MethodInfo method) =>
        $"{CSharpTypeName.Of(method.ReturnType)} {method.Name}({CSharpNames.Of(method.GetParameters())})";

    /// <summary>
    /// Returns the value of a field or property for Python: an enumeration member as its name, an array as a tuple, a decimal as a double.
    /// </summary>
    /// <exception cref="MissingMemberException">The class has no such member.</exception>
    internal static object? Get(torch.nn.Module module, string name) => ToPython(MemberNames.Read(module, Find(module, name)));

    /// <summary>Sets a field or property.</summary>
    /// <exception cref="MissingMemberException">The class has no such member.</exception>
    /// <exception cref="InvalidCastException">The value does not convert to the declared type.</exception>
    /// <exception cref="ArgumentException">The enumeration has no such member.</exception>
    internal static void Set(torch.nn.Module module, string name, object? value)
    {
        var member = Find(module, name);
        object? converted;
        try
        {
            converted = FromPython(value, MemberNames.TypeOf(member));
        }
        catch (InvalidCastException exception)
        {
            throw new InvalidCastException($"'{name}' of {module.GetType().Name}: {exception.Message}");
        }
        catch (ArgumentException)
        {
            var enumeration = Nullable.GetUnderlyingType(MemberNames.TypeOf(member)) ?? MemberNames.TypeOf(member);
            var names = string.Join(", ", Enum.GetNames(enumeration));
            throw new ArgumentException(
                $"'{name}' of {module.GetType().Name}: {enumeration.Name} has no member '{value}'. It has {names}.");
        }

        MemberNames.Write(module, member, converted);
    }

    private static MemberInfo Find(torch.nn.Module module, string name) =>
        Members(module.GetType()).FirstOrDefault(member => member.Name == name)
        ?? throw new MissingMemberException(module.GetType().Name, name);

    // Members of a derived class hide base class members of the same name.
    private static IEnumerable<MemberInfo> Members(Type type) =>
        type.GetMembers(BindingFlags.Instance | BindingFlags.Public).Where(IsConvertibleMember)
            .GroupBy(member => member.Name).Select(group => group.MinBy(member => MemberNames.Depth(type, member))!);

    // Returns false for a member whose type cannot be loaded, so that the class can be used without that type.
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

    private static bool IsWritable(MemberInfo member) => CanBeWritten(MemberNames.TypeOf(member)) && member switch
    {
        FieldInfo field => !field.IsInitOnly,
        PropertyInfo { SetMethod: { IsPublic: true } set } => !PythonTypes.IsInit(set),
        _ => false,
    };

    // An enumeration in a tuple or an array has no conversion from Python.
    private static bool CanBeWritten(Type type) => !HasEnum(type) || IsEnum(type);

    private static bool IsEnum(Type type) => (Nullable.GetUnderlyingType(type) ?? type).IsEnum;

    private static bool HasEnum(Type type) => IsEnum(type) || (Items(type) ?? []).Any(HasEnum);

    /// <summary>Returns the types of a tuple's or an array's items; null for any other type.</summary>
    private static Type[]? Items(Type type) =>
        type.IsArray ? [type.GetElementType()!] : PythonTypes.IsTuple(type) ? type.GetGenericArguments() : null;

    private static bool IsConvertible(Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        return target == typeof(bool) || target == typeof(string) || target.IsEnum
            || PythonTypes.IsInteger(target) || PythonTypes.IsReal(target)
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
}
