using System.Globalization;
using System.Text;

namespace System.Runtime.CompilerServices;

/// <summary>
/// What the compiler makes of <c>$"…"</c> in our assemblies, in place of .NET's type of this name: numbers in messages and files are
/// written in the invariant culture. By the current one, -1 is written with another sign in an eighth of .NET's cultures.
/// </summary>
/// <remarks><see cref="StringBuilder"/>, <c>+</c> and <see cref="string.Join(string, object[])"/> do not use it: give them text.</remarks>
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
