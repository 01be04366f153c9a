using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>A parameter of <c>forward</c> in a class of modules.</summary>
/// <param name="name">The parameter's name.</param>
/// <param name="reader">Reads the argument.</param>
/// <param name="optional">Whether a call can omit the argument.</param>
/// <param name="otherwise">The default.</param>
internal sealed class Argument<T>(string name, ValueReader<T> reader, bool optional, object? otherwise)
{
    private readonly bool _isNull = otherwise is null && default(T) is null;
    private readonly T? _default = otherwise is T given ? given : default;

    internal ValueReader<T> Reader => reader;

    /// <summary>
    /// Returns whether the value is the default of an optional parameter. C# passes omitted arguments as defaults, Python does not.
    /// </summary>
    internal bool IsDefault(T value) => optional && (_isNull ? value is null : EqualityComparer<T>.Default.Equals(value, _default));

    /// <summary>Converts a value that a hook assigned.</summary>
    /// <exception cref="InvalidCastException">The value has another type.</exception>
    internal T Unbox(object? value) => value switch
    {
        T fits => fits,
        null when default(T) is null => default!,
        _ => throw new InvalidCastException($"'{name}' is a {typeof(T)}, but a hook assigned {value?.GetType().ToString() ?? "null"}."),
    };
}

/// <summary>The factory of <see cref="Argument{T}"/>.</summary>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal static class ArgumentReaders
{
    private static readonly BindingFlags Where = BindingFlags.Instance | BindingFlags.Public;

    /// <summary>Creates an <see cref="Argument{T}"/> for each argument of <c>forward</c> in a class of modules.</summary>
    /// <param name="module">The class.</param>
    /// <param name="types">The types of the arguments.</param>
    /// <param name="library">The TorchSharp assembly to which the class belongs.</param>
    internal static object[] Create(Type module, Type[] types, Library library)
    {
        // `call` may have defaults that `forward` lacks (in MultiheadAttention), or shorter overloads that pass null (in EmbeddingBag).
        var methods = module.GetMethods(Where).Where(method => method.Name is "forward" or "call");
        var all = methods.Select(method => method.GetParameters()).ToArray();
        var full = all.Where(parameters => Begins(types, parameters, types.Length)).ToArray();
        var prefixes = all.Where(parameters => Begins(types, parameters, parameters.Length));
        var fewest = prefixes.Min(parameters => (int?)parameters.Length) ?? types.Length;
        var names = module.GetMethod("forward", Where, types)?.GetParameters();
        return [.. types.Select((type, i) => CreateArgument(type, names?[i].Name ?? "input", Default(i), i >= fewest, library))];

        ParameterInfo? Default(int i) => full.Select(parameters => parameters[i]).FirstOrDefault(parameter => parameter.HasDefaultValue);
    }

    private static bool Begins(Type[] types, ParameterInfo[] parameters, int count) =>
        parameters.Length == count
        && count > 0
        && parameters.Select(parameter => parameter.ParameterType).SequenceEqual(types.Take(count));

    private static object CreateArgument(Type type, string name, ParameterInfo? withDefault, bool nullIsDefault, Library library)
    {
        var canBeNull = !type.IsValueType || Nullable.GetUnderlyingType(type) is not null;
        return Activator.CreateInstance(
            typeof(Argument<>).MakeGenericType(type),
            BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public,
            null,
            [name, ValueReader.Create(type, library), withDefault is not null || (nullIsDefault && canBeNull), withDefault?.DefaultValue],
            null)!;
    }
}
