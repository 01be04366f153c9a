using System.Text.RegularExpressions;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Contains phrases for sentences about traces.</summary>
internal static partial class Phrases
{
    /// <summary>Returns a module path for a sentence: <c>the root</c> for an empty path.</summary>
    internal static string PathName(string path) => path.Length > 0 ? path : "the root";

    /// <summary>Returns the code that calls a module with its hooks: <c>conv(x)</c> in Python, <c>conv.call(x)</c> in C#.</summary>
    internal static string CallOf(string path, string runtime)
    {
        var python = runtime.StartsWith("pytorch", StringComparison.Ordinal);
        var digit = path.Length > 0 && char.IsDigit(path[0]);
        var name = path.Length == 0 ? "model" : Index().Replace(digit ? $"{(python ? "self" : "this")}.{path}" : path, "[$1]");
        return python ? $"{name}(x)" : $"{name}.call(x)";
    }

    /// <summary>Returns a number with a noun: <c>1 call</c>, <c>2 calls</c>.</summary>
    internal static string Plural(long number, string noun) => $"{number} {noun}{(number == 1 ? "" : "s")}";

    /// <summary>Returns <c>once</c>, <c>2 times</c> and so on.</summary>
    internal static string Times(int number) => number == 1 ? "once" : $"{number} times";

    /// <summary>Returns <c>1st</c>, <c>2nd</c>, <c>11th</c> and so on.</summary>
    internal static string Ordinal(int number)
    {
        var suffix = (number % 100, number % 10) switch
        {
            ( >= 10 and <= 20, _) => "th",
            (_, 1) => "st",
            (_, 2) => "nd",
            (_, 3) => "rd",
            _ => "th",
        };
        return $"{number}{suffix}";
    }

    /// <summary>Returns a noun with its article: <c>an int</c>, <c>a Tensor</c>.</summary>
    internal static string WithArticle(string noun)
    {
        var vowel = noun.Length > 0 && "aeiouAEIOU".Contains(noun[0], StringComparison.Ordinal) && !Consonant().IsMatch(noun);
        return $"{(vowel ? "an" : "a")} {noun}";
    }

    /// <summary>Appends the code to write instead, if any, to a message.</summary>
    internal static string WithFix(string message, string fix) => fix.Length > 0 ? $"{message} Write {fix}." : message;

    [GeneratedRegex(@"\.(\d+)\b", RegexOptions.CultureInvariant)]
    private static partial Regex Index();

    // Nouns that take `a` in spite of their vowel, as in `a uint8`.
    [GeneratedRegex("^(?:ui|us|unet|uni(?!n))", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Consonant();
}
