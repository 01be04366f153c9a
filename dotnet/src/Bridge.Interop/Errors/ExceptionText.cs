using System.Text;

namespace Bridge.Interop;

/// <summary>What an exception says of itself. Every property of a user's exception may throw or return null.</summary>
internal static class ExceptionText
{
    internal static string Type(Exception exception) => Read(() => exception.GetType().FullName);

    internal static string Message(Exception exception) => Read(() => exception.Message);

    internal static string Stack(Exception exception) => Ends(Read(() => exception.StackTrace));

    private static string Read(Func<string?> ask)
    {
        string? text;
        try
        {
            text = ask();
        }
        catch (Exception exception)
        {
            text = $"(it cannot be read: {exception.GetType().FullName})";
        }

        // Neither Python nor JSON takes half of a surrogate pair.
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text ?? ""));
    }

    // A recursion's stack has tens of thousands of lines; its two ends are enough.
    private static string Ends(string stack)
    {
        var lines = stack.Split('\n');
        const int ends = 30;
        return lines.Length <= 2 * ends ? stack
            : string.Join('\n', lines.Take(ends).Append($"   … {lines.Length - 2 * ends} more frames …").Concat(lines.TakeLast(ends)));
    }
}
