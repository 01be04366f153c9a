using System.Globalization;
using System.Text;

namespace System.Runtime.CompilerServices;

/// <summary>
/// Formats <c>$"…"</c> in this repository's assemblies, instead of .NET's type of this name: numbers in messages and files are formatted in
/// the invariant culture. In an eighth of .NET's cultures, the minus sign is another character.
/// </summary>
/// <remarks>
/// <see cref="StringBuilder"/>, <c>+</c> and <see cref="string.Join(string, object[])"/> do not use this type, so pass them strings.
/// </remarks>
internal readonly ref struct DefaultInterpolatedStringHandler
{
    private readonly StringBuilder _text;

    internal DefaultInterpolatedStringHandler(int literalLength, int formattedCount) => _text = new(literalLength + 16 * formattedCount);

    internal void AppendLiteral(string text) => _text.Append(text);

    internal void AppendFormatted<T>(T value, int alignment = 0, string? format = null)
    {
        var text = value is IFormattable number ? number.ToString(format, CultureInfo.InvariantCulture) : value?.ToString() ?? "";
        _text.Append(alignment < 0 ? text.PadRight(-alignment) : text.PadLeft(alignment));
    }

    internal string ToStringAndClear() => _text.ToString();
}
