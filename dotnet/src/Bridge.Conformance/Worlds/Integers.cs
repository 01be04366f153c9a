using System.Text.Json;

namespace Bridge.Conformance.Worlds;

/// <summary>An integer <c>{"plain": n}</c> of a hook program. The program's other numbers stand for tensors.</summary>
internal sealed record PlainInteger(long Value);

/// <summary>Arithmetic on the values of modules: <c>long</c>, which stands for a tensor, and <see cref="PlainInteger"/>.</summary>
internal static class Integers
{
    /// <summary>Reads a number of a program.</summary>
    /// <exception cref="DefectException">The number is too large or not an integer.</exception>
    internal static long Read(JsonElement value)
    {
        var number = value.GetDouble();
        if (Math.Abs(number) < 1L << 53 && Math.Floor(number) == number) return (long)number;
        throw new DefectException($"{value} is too large or not an integer");
    }

    internal static object Plus(object? left, object? right) => Compute(left, right, static (a, b) => checked(a + b));

    internal static object Times(object? left, object? right) => Compute(left, right, static (a, b) => checked(a * b));

    // Two plain integers give a plain integer. Any other pair gives a `long`, which stands for a tensor.
    private static object Compute(object? left, object? right, Func<long, long, long> compute) => (left, right) switch
    {
        (long a, long b) => compute(a, b),
        (long a, PlainInteger b) => compute(a, b.Value),
        (PlainInteger a, long b) => compute(a.Value, b),
        (PlainInteger a, PlainInteger b) => new PlainInteger(compute(a.Value, b.Value)),
        _ => throw new InvalidCastException($"no arithmetic with {left?.GetType().Name ?? "None"} and {right?.GetType().Name ?? "None"}"),
    };
}

/// <summary>Creates the numbers of a hook program as integers.</summary>
internal sealed class IntegerNumbers : INumberFactory
{
    public object Number(JsonElement value) => Integers.Read(value);

    public object Plain(JsonElement value) => new PlainInteger(Integers.Read(value));

    public object Vector(JsonElement value) => throw new DefectException("unknown value 'vector'");
}
