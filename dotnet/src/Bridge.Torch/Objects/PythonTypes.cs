using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Torch;

/// <summary>Writes C# types and defaults for Python's signatures. Types of the real TorchSharp are recognized by their names.</summary>
internal static class PythonTypes
{
    private static readonly HashSet<Type> Integers =
        [typeof(byte), typeof(sbyte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong)];

    private static readonly HashSet<Type> Reals = [typeof(float), typeof(double), typeof(Half), typeof(decimal)];

    internal static bool IsInteger(Type type) => Integers.Contains(type);

    internal static bool IsReal(Type type) => Reals.Contains(type);

    internal static bool IsTuple(Type type) => type.IsGenericType && typeof(ITuple).IsAssignableFrom(type);

    /// <summary>
    /// Writes the items of an array, which the caller starts and ends: the types of the parameters, then the type of the result. Each type
    /// is the name of a Python type, or an array: "optional", "tuple" or "list", followed by the types of the items; "dict", followed by
    /// the type of the values; or "class", followed by the namespace and the name of a C# class.
    /// </summary>
    internal static void WriteSignature(Utf8JsonWriter json, IEnumerable<ParameterInfo> parameters, ParameterInfo result)
    {
        var nullability = new NullabilityInfoContext();
        foreach (var parameter in parameters.Append(result))
            Write(json, parameter.ParameterType, CSharpNames.IsNullable(nullability, parameter));
    }

    /// <summary>
    /// Writes JSON properties for the <c>forward</c> of a module of the real TorchSharp: <c>signature</c>, its declaration in C#;
    /// <c>arguments</c>, for each parameter what <see cref="WriteParameter"/> writes; <c>types</c>, an array of what
    /// <see cref="WriteSignature"/> writes, empty if there are no parameters.
    /// </summary>
    internal static void WriteForward(Utf8JsonWriter json, Type module, IReadOnlyList<ForwardParameter> parameters)
    {
        var declared = parameters.Select(parameter => parameter.Source).OfType<ParameterInfo>().ToArray();
        json.WriteString("signature", CSharpNames.Forward(module, declared));
        json.WriteStartArray("arguments");
        foreach (var parameter in parameters) WriteParameter(json, parameter.Name, parameter.HasDefault, parameter.Default);
        json.WriteEndArray();
        json.WriteStartArray("types");
        if (declared.Length > 0) WriteSignature(json, declared, ((MethodInfo)declared[0].Member).ReturnParameter);
        json.WriteEndArray();
    }

    /// <summary>Writes a type as <see cref="WriteSignature"/> does.</summary>
    internal static void Write(Utf8JsonWriter json, Type type, bool isNullable = false)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying) WriteComposite(json, "optional", underlying);
        else if (isNullable && (type.IsArray || IsSequence(type) || Name(type) != "Any")) WriteComposite(json, "optional", type);
        else if (IsTuple(type)) WriteComposite(json, "tuple", type.GetGenericArguments());
        else if (type.IsArray) WriteComposite(json, "list", type.GetElementType()!);
        else if (IsSequence(type) && type.GetGenericArguments() is [var key, var value] && key == typeof(string))
            WriteComposite(json, "dict", value);
        else if (IsSequence(type) && type.GetGenericArguments() is [var item]) WriteComposite(json, "list", item);
        else if (Name(type) is { } name) json.WriteStringValue(name);
        else WriteClass(json, type);
    }

    /// <summary>Writes an array for a parameter: its name, whether it has a default, and the default if JSON has such a value.</summary>
    internal static void WriteParameter(Utf8JsonWriter json, string name, bool hasDefault, object? value)
    {
        json.WriteStartArray();
        json.WriteStringValue(name);
        json.WriteBooleanValue(hasDefault);
        if (hasDefault) WriteLiteral(json, value);
        json.WriteEndArray();
    }

    /// <summary>Writes a value of one of the types below; writes nothing for any other value, such as an infinity.</summary>
    internal static void WriteLiteral(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null: json.WriteNullValue(); break;
            case bool truth: json.WriteBooleanValue(truth); break;
            case string text: json.WriteStringValue(text); break;
            case long or int or short or byte: json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture)); break;
            // With a decimal point, so that Python reads a float.
            case float or double when double.IsFinite(Convert.ToDouble(value, CultureInfo.InvariantCulture)):
                json.WriteRawValue(Convert.ToDouble(value, CultureInfo.InvariantCulture).ToString("E16", CultureInfo.InvariantCulture));
                break;
        }
    }

    /// <summary>
    /// Returns whether a field or property can be set only while its object is created, and no code of the class runs when it is read.
    /// </summary>
    internal static bool IsSetByConstructor(MemberInfo member) => member switch
    {
        FieldInfo field => field.IsInitOnly,
        PropertyInfo property => (property.SetMethod is not { } set || IsInit(set)) && Field(property) is not null,
        _ => false,
    };

    /// <summary>Returns the backing field of an auto-property, or the field itself; null for any other property.</summary>
    internal static FieldInfo? Field(MemberInfo member) => member as FieldInfo ?? member.DeclaringType!.GetField(
        $"<{member.Name}>k__BackingField", BindingFlags.Instance | BindingFlags.NonPublic);

    /// <summary>Returns whether a property's <c>set</c> is <c>init</c>.</summary>
    internal static bool IsInit(MethodInfo set) => set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit));

    private static void WriteComposite(Utf8JsonWriter json, string kind, params Type[] types)
    {
        json.WriteStartArray();
        json.WriteStringValue(kind);
        foreach (var type in types) Write(json, type);
        json.WriteEndArray();
    }

    private static void WriteClass(Utf8JsonWriter json, Type type)
    {
        json.WriteStartArray();
        json.WriteStringValue("class");
        json.WriteStringValue(type.Namespace ?? "");
        json.WriteStringValue(CSharpTypeName.Of(type));
        json.WriteEndArray();
    }

    private static bool IsSequence(Type type) => type.IsGenericType && typeof(IEnumerable).IsAssignableFrom(type);

    /// <summary>Returns whether a type is our Tensor or the real TorchSharp's, or derives from one of them.</summary>
    internal static bool IsTensor(Type? type)
    {
        for (; type is not null; type = type.BaseType)
            if (type.FullName == "TorchSharp.torch+Tensor") return true;
        return false;
    }

    // Returns null for a class that Python does not have.
    private static string? Name(Type type) =>
        IsTensor(type) ? "Tensor"
        : type == typeof(bool) ? "bool"
        : type == typeof(string) || type.IsEnum ? "str"
        : IsInteger(type) ? "int"
        : IsReal(type) ? "float"
        : type == typeof(void) ? "None"
        : type == typeof(object) || type.IsGenericParameter || typeof(IEnumerable).IsAssignableFrom(type)
            || typeof(ITuple).IsAssignableFrom(type) ? "Any"
        : null;
}
