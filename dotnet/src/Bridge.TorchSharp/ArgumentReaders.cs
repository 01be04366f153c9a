using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>One argument of a class of modules.</summary>
/// <param name="name">What <c>forward</c> calls it.</param>
/// <param name="reader">Reads it.</param>
/// <param name="optional">Whether it has a default.</param>
/// <param name="otherwise">The default.</param>
internal sealed class Argument<T>(string name, ValueReader<T> reader, bool optional, object? otherwise)
{
    private readonly bool _isNull = otherwise is null && default(T) is null;
    private readonly T? _default = otherwise is T given ? given : default;

    internal ValueReader<T> Reader => reader;

    /// <summary>Whether a call that leaves the argument out looks the same: C# states all in a call, Python would not.</summary>
    internal bool IsLeftOut(T value) => optional && (_isNull ? value is null : EqualityComparer<T>.Default.Equals(value, _default));

    /// <exception cref="InvalidCastException">It is of another type.</exception>
    internal T Unbox(object? value) => value switch
    {
        T fits => fits,
        null when default(T) is null => default!,
        _ => throw new InvalidCastException($"'{name}' is a {typeof(T)}, and a hook gave {value?.GetType().ToString() ?? "null"}."),
    };
}

/// <summary>Finds out about the arguments of a class of modules.</summary>
internal static class ArgumentReaders
{
    private static readonly BindingFlags Where = BindingFlags.Instance | BindingFlags.Public;

    /// <summary>An <see cref="Argument{T}"/> for each.</summary>
    /// <param name="module">The class.</param>
    /// <param name="types">The types of the arguments.</param>
    /// <param name="library">Whose types they are.</param>
    internal static object[] Of(Type module, Type[] types, Library library)
    {
        // MultiheadAttention has its defaults where it is called.
        var forward = module.GetMethod("forward", Where, types)?.GetParameters();
        var call = module.GetMethod("call", Where | BindingFlags.DeclaredOnly, types)?.GetParameters();
        return [.. types.Select((type, i) => One(type, forward?[i], call?[i], library))];
    }

    private static object One(Type type, ParameterInfo? forward, ParameterInfo? call, Library library)
    {
        var stated = forward is { HasDefaultValue: true } ? forward : call;
        var optional = stated is { HasDefaultValue: true };
        return Activator.CreateInstance(
            typeof(Argument<>).MakeGenericType(type),
            BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public,
            null,
            [forward?.Name ?? "input", ValueReader.Of(type, library), optional, optional ? stated!.DefaultValue : null],
            null)!;
    }
}
