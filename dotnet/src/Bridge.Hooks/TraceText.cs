using System.Globalization;
using System.Text;

namespace Bridge.Hooks;

/// <summary>Formats strings and numbers for a trace file, exactly as Python's <c>json</c> does, except NaN and the infinities.</summary>
/// <remarks>
/// <c>Utf8JsonWriter</c> differs: it also escapes characters such as <c>&lt;</c>, refuses lone surrogates, and writes <c>1E-05</c> for
/// <c>1e-05</c>.
/// </remarks>
public static class TraceText
{
    /// <summary>Returns a JSON string of printable ASCII characters. Escapes all others, even lone surrogates, as Python does.</summary>
    public static string Quoted(string value)
    {
        var text = new StringBuilder(value.Length + 2);
        Quote(text, value);
        return text.ToString();
    }

    /// <summary>
    /// Returns the shortest text that reads back as the same double. Zero, and magnitudes from 1e-4 to below 1e16, have no exponent; others
    /// have an exponent of at least two digits. NaN and the infinities become JSON strings.
    /// </summary>
    public static string Real(double value)
    {
        if (double.IsNaN(value)) return "\"NaN\"";
        if (double.IsInfinity(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
        var sign = double.IsNegative(value) ? "-" : "";
        var shortest = value.ToString("R", CultureInfo.InvariantCulture)[sign.Length..];
        var e = shortest.IndexOf('E', StringComparison.Ordinal);
        var exponent = e < 0 ? 0 : int.Parse(shortest.AsSpan(e + 1), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
        var mantissa = e < 0 ? shortest : shortest[..e];
        var point = mantissa.IndexOf('.', StringComparison.Ordinal);
        var digits = mantissa.Replace(".", "", StringComparison.Ordinal);
        // The value is 0.DIGITS times ten to the power of `place`.
        var place = (point < 0 ? mantissa.Length : point) + exponent;
        var significant = digits.TrimStart('0');
        place -= digits.Length - significant.Length;
        significant = significant.TrimEnd('0');
        if (significant.Length == 0) return sign + "0.0";
        if (place is > 16 or < -3)
        {
            var power = place - 1;
            var fraction = significant.Length > 1 ? "." + significant[1..] : "";
            return $"{sign}{significant[0]}{fraction}e{(power < 0 ? '-' : '+')}{Math.Abs(power):00}";
        }

        if (place <= 0) return sign + "0." + new string('0', -place) + significant;
        return significant.Length <= place
            ? sign + significant.PadRight(place, '0') + ".0"
            : $"{sign}{significant[..place]}.{significant[place..]}";
    }

    internal static void Quote(StringBuilder text, string value)
    {
        text.Append('"');
        foreach (var c in value)
        {
            switch (c)
            {
                case '"': text.Append("\\\""); break;
                case '\\': text.Append("\\\\"); break;
                case '\n': text.Append("\\n"); break;
                case '\r': text.Append("\\r"); break;
                case '\t': text.Append("\\t"); break;
                case '\f': text.Append("\\f"); break;
                case '\b': text.Append("\\b"); break;
                case >= ' ' and <= '~': text.Append(c); break;
                default: text.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture)); break;
            }
        }

        text.Append('"');
    }
}
