namespace Bridge.Torch;

/// <summary>Phrases for messages.</summary>
internal static class Phrases
{
    /// <summary>Returns a number with a noun: "1 element", "2 elements".</summary>
    /// <param name="number">The number.</param>
    /// <param name="noun">The noun in the singular.</param>
    internal static string Plural(long number, string noun) => $"{number} {noun}{(number == 1 ? "" : "s")}";
}
