using System.Globalization;
using System.Numerics;
using System.Text;
using Bridge.Hooks;

namespace Bridge.Trace.Tool.Printing;

/// <summary>Formats numbers and strings as Python does, so that both programs say the same about the same traces.</summary>
internal static class PythonText
{
    private const int AllDigits = 800;

    /// <summary>Returns a number with a limited number of significant digits, as Python's format <c>g</c>.</summary>
    internal static string General(double value, int digits = 6)
    {
        if (double.IsNaN(value)) return "nan";
        if (double.IsInfinity(value)) return value > 0 ? "inf" : "-inf";
        if (value == 0) return double.IsNegative(value) ? "-0" : "0";
        // All digits of the number, which has at most 767: .NET's own rounding rounds a half up, Python's rounds it to an even digit.
        var exact = Math.Abs(value).ToString($"E{AllDigits}", CultureInfo.InvariantCulture);
        var all = exact[..1] + exact[2..(AllDigits + 2)];
        var exponent = int.Parse(exact.AsSpan(AllDigits + 3), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
        var kept = BigInteger.Parse(all.AsSpan(0, digits), NumberStyles.None, CultureInfo.InvariantCulture);
        var rest = string.CompareOrdinal(all[digits..], "5".PadRight(all.Length - digits, '0'));
        if (rest > 0 || (rest == 0 && !kept.IsEven)) kept++;
        var text = kept.ToString(CultureInfo.InvariantCulture);
        if (text.Length > digits) (text, exponent) = (text[..digits], exponent + 1);
        var sign = value < 0 ? "-" : "";
        if (exponent < -4 || exponent >= digits)
            return $"{sign}{Trim($"{text[..1]}.{text[1..]}")}e{(exponent < 0 ? '-' : '+')}{Math.Abs(exponent):00}";
        return sign + (exponent < 0
            ? Trim($"0.{new string('0', -exponent - 1)}{text}")
            : Trim($"{text[..(exponent + 1)]}.{text[(exponent + 1)..]}"));
    }

    /// <summary>Returns a literal as Python's <c>repr</c>.</summary>
    internal static string Repr(object? literal) => literal switch
    {
        null => "None",
        bool value => value ? "True" : "False",
        double value when !double.IsFinite(value) => General(value),
        double value => TraceText.Real(value),
        BigInteger value => value.ToString(CultureInfo.InvariantCulture),
        _ => Quoted((string)literal),
    };

    /// <summary>Returns the sizes of a tensor as a Python tuple.</summary>
    internal static string Tuple(long[] sizes) => $"({string.Join(", ", sizes)}{(sizes.Length == 1 ? "," : "")})";

    /// <summary>Replaces each character that is not printable with an escape, so that no name can control a terminal.</summary>
    internal static string Printable(string text)
    {
        var printable = new StringBuilder(text.Length);
        foreach (var (character, rune) in Characters(text))
        {
            if (IsPrintable(rune)) printable.Append(character);
            else Escape(printable, rune ?? new Rune('?'), character);
        }

        return printable.ToString();
    }

    private static string Trim(string text) => text.TrimEnd('0').TrimEnd('.');

    private static string Quoted(string value)
    {
        var quote = value.Contains('\'', StringComparison.Ordinal) && !value.Contains('"', StringComparison.Ordinal) ? '"' : '\'';
        var text = new StringBuilder().Append(quote);
        foreach (var (character, rune) in Characters(value))
        {
            if (character[0] == quote || character[0] == '\\') text.Append('\\').Append(character);
            else if (IsPrintable(rune)) text.Append(character);
            else Escape(text, rune ?? new Rune('?'), character);
        }

        return text.Append(quote).ToString();
    }

    // The characters with their runes; null for a lone surrogate.
    private static IEnumerable<(string Character, Rune? Rune)> Characters(string text)
    {
        for (var at = 0; at < text.Length;)
        {
            if (Rune.TryGetRuneAt(text, at, out var rune))
            {
                yield return (text.Substring(at, rune.Utf16SequenceLength), rune);
                at += rune.Utf16SequenceLength;
            }
            else
            {
                yield return (text.Substring(at++, 1), null);
            }
        }
    }

    private static bool IsPrintable(Rune? rune) => rune is { } found && (found.Value == ' ' || Rune.GetUnicodeCategory(found) is not (
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
        or UnicodeCategory.OtherNotAssigned or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.SpaceSeparator));

    private static void Escape(StringBuilder text, Rune rune, string character)
    {
        var number = character.Length == 1 ? character[0] : rune.Value;
        text.Append(number switch
        {
            '\t' => "\\t",
            '\n' => "\\n",
            '\r' => "\\r",
            < 0x100 => $"\\x{number:x2}",
            < 0x10000 => $"\\u{number:x4}",
            _ => $"\\U{number:x8}",
        });
    }
}
