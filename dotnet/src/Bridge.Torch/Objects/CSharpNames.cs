using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Writes C# signatures, and arguments, for messages and help.</summary>
internal static class CSharpNames
{
    private const int MaxItems = 4;

    private static readonly ConditionalWeakTable<Type, string> Signatures = [];

    /// <summary>Writes a class's name, as <c>Mine.Net.Options</c>, without type arguments. Omits a namespace of TorchSharp.</summary>
    internal static string Full(Type type)
    {
        var name = type.IsNested ? $"{Full(type.DeclaringType!)}.{Bare(type)}" : Bare(type);
        return type.IsNested || IsLibrary(type) || string.IsNullOrEmpty(type.Namespace) ? name : $"{type.Namespace}.{name}";
    }

    /// <summary>
    /// Returns a hint if the value's class has the declared name, but is from another load of the assembly: Python made the value for
    /// another runtime, or with another value of forward_fires. Otherwise returns an empty string.
    /// </summary>
    internal static string OfAnotherLoad(object? value, Type declared) =>
        value is not null && value.GetType() != declared && value.GetType().FullName == declared.FullName && !declared.IsGenericType
            ? " of this load of the assembly: give bridge.new the same runtime and forward_fires as bridge.load" : "";

    /// <summary>Writes parameters as C# declares them: <c>Tensor x, long steps = 3</c>.</summary>
    internal static string Of(IEnumerable<ParameterInfo> parameters)
    {
        var nullability = new NullabilityInfoContext();
        return string.Join(", ", parameters.Select(parameter =>
            CSharpTypeName.Of(parameter.ParameterType) + (IsNullable(nullability, parameter) ? "?" : "")
                + $" {parameter.Name}{Default(parameter)}"));
    }

    /// <summary>Writes a failed call of a module: the module's signature and the given arguments.</summary>
    internal static string Call(torch.nn.Module module, object?[] given) => $"{Signature(module)} was given {Given(given)}";

    /// <summary>Writes the signature of a module's <c>forward</c>: <c>Mine.Net.forward(Tensor x, long steps = 3)</c>.</summary>
    internal static string Signature(torch.nn.Module module) => Signatures.GetValue(module.GetType(), type =>
        Forward(type, (module.Parameters ?? []).Select(parameter => parameter.Source).OfType<ParameterInfo>()));

    /// <summary>Writes the signature of a <c>forward</c> with these parameters.</summary>
    internal static string Forward(Type module, IEnumerable<ParameterInfo> parameters) => $"{Full(module)}.forward({Of(parameters)})";

    /// <summary>Returns whether a reference type is annotated as nullable.</summary>
    internal static bool IsNullable(NullabilityInfoContext context, ParameterInfo parameter)
    {
        if (parameter.ParameterType.IsValueType) return false;
        try
        {
            return context.Create(parameter).WriteState == NullabilityState.Nullable;
        }
        catch (Exception exception) when (exception is TypeLoadException or IOException)
        {
            // An assembly for .NET Framework, whose compiler attributes are missing from .NET's mscorlib.
            return false;
        }
    }

    /// <summary>Writes the Python types of arguments: <c>(Tensor[2, 4], str)</c>.</summary>
    internal static string Given(IEnumerable<object?> values) => $"({string.Join(", ", values.Select(Describe))})";

    /// <summary>Writes the Python type of an argument, as <c>Tensor[2, 4]</c>; the C# type if Python has no such type.</summary>
    internal static string Describe(object? value) => value switch
    {
        null => "None",
        torch.Tensor tensor => $"Tensor{Shape(tensor)}",
        string => "str",
        bool => "bool",
        long or int => "int",
        double or float => "float",
        Missing => "default",
        CallableFromPython => "a Python function",
        object?[] items => $"({Items(items)})",
        ListOfValues list => $"[{Items(list.Items)}]",
        DictOfValues map => $"{{{Items(map.Items, item => $"'{item.Key}': {Describe(item.Value)}")}}}",
        _ when PythonTypes.IsTensor(value.GetType()) =>
            value.GetType().GetProperty("shape")?.GetValue(value) is long[] sizes ? $"Tensor[{string.Join(", ", sizes)}]" : "Tensor",
        _ => CSharpTypeName.Of(value.GetType()),
    };

    private static string Items(object?[] items) => Items(items, Describe);

    private static string Items<T>(T[] items, Func<T, string> describe)
    {
        Nesting.Check();
        return string.Join(", ", items.Take(MaxItems).Select(describe)) + (items.Length > MaxItems ? ", …" : "");
    }

    private static string Shape(torch.Tensor tensor)
    {
        try
        {
            return tensor.IsInvalid ? "" : $"[{string.Join(", ", tensor.Sizes)}]";
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            return ""; // The sizes may be unreadable, for instance while PyTorch traces the model.
        }
    }

    private static string Default(ParameterInfo parameter) => !parameter.HasDefaultValue ? "" : " = " + parameter.DefaultValue switch
    {
        null => parameter.ParameterType.IsValueType && Nullable.GetUnderlyingType(parameter.ParameterType) is null ? "default" : "null",
        bool truth => truth ? "true" : "false",
        string text => $"\"{text}\"",
        Enum member => $"{CSharpTypeName.Of(member.GetType())}.{member}",
        IFormattable number when Underlying(parameter) is { IsEnum: true } type =>
            $"{CSharpTypeName.Of(type)}.{Enum.ToObject(type, number)}",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        var other => other.ToString()!,
    };

    private static Type Underlying(ParameterInfo parameter) =>
        Nullable.GetUnderlyingType(parameter.ParameterType) ?? parameter.ParameterType;

    private static string Bare(Type type) => type.Name.Split('`')[0];

    private static bool IsLibrary(Type type) =>
        type.Namespace is { } name && (name == "TorchSharp" || name.StartsWith("TorchSharp.", StringComparison.Ordinal));
}
