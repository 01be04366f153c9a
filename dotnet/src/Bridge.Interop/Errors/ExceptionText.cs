using System.Text;

namespace Bridge.Interop;

/// <summary>Reads the texts of an exception. The properties of a user's exception class may throw or return null.</summary>
internal static class ExceptionText
{
    internal static string Type(Exception exception) => Read(() => exception.GetType().FullName);

    internal static string Message(Exception exception) => Read(() => exception.Message);

    internal static string Stack(Exception exception) => Shorten(Read(() => exception.StackTrace));

    private static string Read(Func<string?> property)
    {
        string? text;
        try
        {
            text = property();
        }
        catch (Exception exception)
        {
            text = $"(it cannot be read: {exception.GetType().FullName})";
        }

        // Replaces unpaired surrogates, which UTF-8 cannot represent.
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text ?? ""));
    }

    // Keeps the first and last lines, because the stack of a recursion may have tens of thousands of lines.
    private static string Shorten(string stack)
    {
        var lines = stack.Split('\n');
        const int ends = 30;
        return lines.Length <= 2 * ends ? stack
            : string.Join('\n', lines.Take(ends).Append($"   … {lines.Length - 2 * ends} more frames …").Concat(lines.TakeLast(ends)));
    }
}
