using System.Reflection;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>A parameter of a module's <c>forward</c>, as its most derived override declares it.</summary>
/// <param name="Name">The parameter's name.</param>
/// <param name="HasDefault">Whether a call can omit the argument.</param>
/// <param name="Default">The default value.</param>
internal sealed record ForwardParameter(string Name, bool HasDefault, object? Default)
{
    private static readonly TypeCache<ForwardParameter[]> Known = new(Find);

    /// <summary>
    /// Gets the declaration in C#; null for a parameter that only PyTorch's <c>forward</c> has, and for each parameter of a TorchScript
    /// module.
    /// </summary>
    internal ParameterInfo? Source { get; init; }

    /// <summary>Returns the parameters of the <c>forward</c> of a class that derives from a generic <c>Module</c>.</summary>
    internal static IReadOnlyList<ForwardParameter> Of(Type module) => Known[module];

    private static ForwardParameter[] Find(Type type)
    {
        // Finds the override of the abstract forward, not an overload of the same name.
        var open = type;
        while (!(open.IsGenericType && open.Name.StartsWith("Module`", StringComparison.Ordinal))) open = open.BaseType!;
        var types = open.GetMethod("forward")!.GetParameters().Select(parameter => parameter.ParameterType).ToArray();
        return type.GetMethod("forward", types)!.GetParameters().Select(Of).ToArray();
    }

    internal static ForwardParameter Of(ParameterInfo parameter) =>
        new(parameter.Name!, parameter.HasDefaultValue, DefaultOf(parameter)) { Source = parameter };

    // Reflection returns null for the `= default` of a struct.
    private static object? DefaultOf(ParameterInfo parameter) =>
        parameter is { HasDefaultValue: true, DefaultValue: null, ParameterType.IsValueType: true }
            ? Activator.CreateInstance(parameter.ParameterType) : parameter.DefaultValue;

    /// <summary>Returns all arguments: defaults replace omitted trailing ones and each <see cref="Missing.Value"/>.</summary>
    /// <exception cref="InvalidCastException">
    /// There are too many arguments, or the first omitted trailing argument has no default.
    /// </exception>
    internal static object?[] Complete(torch.nn.Module module, object?[] given)
    {
        var parameters = module.Parameters!;
        if (given.Length == parameters.Count && !LacksAny(given)) return given;
        if (given.Length > parameters.Count || (given.Length < parameters.Count && !parameters[given.Length].HasDefault))
            throw new InvalidCastException($"{CSharpNames.Call(module, given)}: " + (given.Length > parameters.Count
                ? $"it takes {Phrases.Plural(parameters.Count, "argument")}, not {given.Length}."
                : $"'{parameters[given.Length].Name}' is missing."));
        return parameters.Select((parameter, i) => i < given.Length && given[i] != Missing.Value ? given[i] : parameter.Default).ToArray();
    }

    private static bool LacksAny(object?[] given)
    {
        foreach (var value in given)
            if (value == Missing.Value) return true;
        return false;
    }

    /// <summary>
    /// Returns an exception that names the first argument that does not fit its parameter; <paramref name="exception"/> if all fit.
    /// </summary>
    internal static InvalidCastException Misfit(InvalidCastException exception, torch.nn.Module module, object?[] values, Type[] types)
    {
        for (var i = 0; i < Math.Min(values.Length, types.Length); i++)
        {
            try
            {
                Tuples.Packer(types[i])(values[i]);
            }
            catch (InvalidCastException inner)
            {
                var given = Trim(module, values, i + 1);
                return new($"{CSharpNames.Call(module, given)}: '{module.Parameters![i].Name}': {inner.Message}");
            }
        }

        return exception;
    }

    /// <summary>Returns the arguments without trailing defaults, which a C# call passes and a Python call would omit.</summary>
    /// <param name="module">The module.</param>
    /// <param name="arguments">All arguments.</param>
    /// <param name="least">The number of leading arguments to keep even if they equal their defaults.</param>
    internal static object?[] Trim(torch.nn.Module module, object?[] arguments, int least = 0)
    {
        var parameters = module.Parameters!;
        var count = arguments.Length;
        while (count > least && parameters[count - 1].HasDefault && Equals(arguments[count - 1], parameters[count - 1].Default)) count--;
        return count == arguments.Length ? arguments : arguments[..count];
    }
}
