namespace Bridge.Torch;

/// <summary>Conversions of numbers and tuples, as TorchSharp's factories take them, to arrays with a number for each dimension.</summary>
internal static class Sizes
{
    internal static long[] Of(int dimensions, long value) => Enumerable.Repeat(value, dimensions).ToArray();

    internal static long[]? Of(int dimensions, long? value) => value is { } given ? Of(dimensions, given) : null;

    internal static long[] Of((long, long) pair) => [pair.Item1, pair.Item2];

    internal static long[]? Of((long, long)? pair) => pair is { } given ? Of(given) : null;

    internal static long[] Of((long, long, long) triple) => [triple.Item1, triple.Item2, triple.Item3];

    internal static long[]? Of((long, long, long)? triple) => triple is { } given ? Of(given) : null;

    internal static long[] Of((long, long, long, long) four) => [four.Item1, four.Item2, four.Item3, four.Item4];

    internal static double[]? Of(int dimensions, double? value) => value is { } given ? [.. Enumerable.Repeat(given, dimensions)] : null;

    internal static double[]? Of((double, double)? pair) => pair is { } given ? [given.Item1, given.Item2] : null;

    internal static double[]? Of((double, double, double)? triple) =>
        triple is { } given ? [given.Item1, given.Item2, given.Item3] : null;
}
