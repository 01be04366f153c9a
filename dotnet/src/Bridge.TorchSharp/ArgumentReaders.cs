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
        // Where it is called, too, a class may have its defaults: MultiheadAttention; and overloads that pass null for the others: EmbeddingBag.
        var all = module.GetMethods(Where).Where(method => method.Name is "forward" or "call").Select(method => method.GetParameters()).ToArray();
        var full = all.Where(stated => Begins(types, stated, types.Length)).ToArray();
        var fewest = all.Where(stated => Begins(types, stated, stated.Length)).Min(stated => (int?)stated.Length) ?? types.Length;
        var names = module.GetMethod("forward", Where, types)?.GetParameters();
        return [.. types.Select((type, i) => One(type, names?[i].Name ?? "input", full.Select(stated => stated[i]).FirstOrDefault(one => one.HasDefaultValue), i >= fewest, library))];
    }

    private static bool Begins(Type[] types, ParameterInfo[] stated, int count) =>
        stated.Length == count && count > 0 && stated.Select(one => one.ParameterType).SequenceEqual(types.Take(count));

    private static object One(Type type, string name, ParameterInfo? stated, bool passed, Library library)
    {
        var isNull = !type.IsValueType || Nullable.GetUnderlyingType(type) is not null;
        return Activator.CreateInstance(
            typeof(Argument<>).MakeGenericType(type),
            BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public,
            null,
            [name, ValueReader.Of(type, library), stated is not null || (passed && isNull), stated?.DefaultValue],
            null)!;
    }
}
