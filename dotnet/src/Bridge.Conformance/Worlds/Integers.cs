using System.Text.Json;

namespace Bridge.Conformance.Worlds;

/// <summary>A number of the program that is meant literally, where others mean tensors.</summary>
internal sealed record Plain(long Value);

/// <summary>Arithmetic over what modules get: a <c>long</c> where PyTorch has a tensor, a <see cref="Plain"/>, or what has none.</summary>
internal static class Integers
{
    /// <summary>A number of a program. Only integers can be run here.</summary>
    internal static long Read(JsonElement value)
    {
        var number = value.GetDouble();
        return Math.Abs(number) < 1L << 53 && Math.Floor(number) == number ? (long)number : throw new Defect($"a number {value} that is not an integer");
    }

    internal static object Plus(object? left, object? right) => Of(left, right, static (a, b) => checked(a + b));

    internal static object Times(object? left, object? right) => Of(left, right, static (a, b) => checked(a * b));

    // Two plain numbers give a plain one; with one of the others the result is as they are.
    private static object Of(object? left, object? right, Func<long, long, long> compute) => (left, right) switch
    {
        (long a, long b) => compute(a, b),
        (long a, Plain b) => compute(a, b.Value),
        (Plain a, long b) => compute(a.Value, b),
        (Plain a, Plain b) => new Plain(compute(a.Value, b.Value)),
        _ => throw new InvalidCastException($"no arithmetic with {left?.GetType().Name ?? "None"} and {right?.GetType().Name ?? "None"}"),
    };
}

/// <summary>Numbers of programs as integers.</summary>
internal sealed class IntegerNumbers : INumbers
{
    public object Number(JsonElement value) => Integers.Read(value);

    public object Plain(JsonElement value) => new Plain(Integers.Read(value));

    public object Vector(JsonElement value) => throw new Defect("a value 'vector'");
}
