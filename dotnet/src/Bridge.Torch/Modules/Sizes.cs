namespace Bridge.Torch;

/// <summary>Conversions of numbers and tuples, as TorchSharp's factories take them, to arrays with a number for each dimension.</summary>
internal static class Sizes
{
    internal static long[] Of(int dimensions, long value) => Enumerable.Repeat(value, dimensions).ToArray();

    internal static long[]? Of(int dimensions, long? value) => value is { } given ? Of(dimensions, given) : null;

    internal static double[]? Of(int dimensions, double? value) =>
        value is { } given ? Enumerable.Repeat(given, dimensions).ToArray() : null;

    internal static long[] Of((long, long) pair) => [pair.Item1, pair.Item2];

    internal static long[]? Of((long, long)? pair) => pair is { } given ? Of(given) : null;

    internal static long[] Of((long, long, long) triple) => [triple.Item1, triple.Item2, triple.Item3];

    internal static long[]? Of((long, long, long)? triple) => triple is { } given ? Of(given) : null;

    internal static long[] Of((long, long, long, long) all) => [all.Item1, all.Item2, all.Item3, all.Item4];

    internal static double[]? Of((double, double)? pair) => pair is var (first, second) ? [first, second] : null;

    internal static double[]? Of((double, double, double)? triple) => triple is var (first, second, third) ? [first, second, third] : null;
}
