namespace Bridge.Interop.Surface;

/// <summary>Splits the text of a generic instance, as <see cref="SignatureText"/> writes it.</summary>
internal static class GenericParts
{
    /// <summary>Returns <c>A</c>, <c>b</c> and <c>C&lt;d,e&gt;</c> for <c>A&lt;b,C&lt;d,e&gt;&gt;</c>.</summary>
    internal static (string Type, string[] Arguments) Split(string text)
    {
        var open = text.IndexOf('<', StringComparison.Ordinal);
        if (open < 0 || !text.EndsWith('>')) return (text, []);
        List<string> arguments = [];
        var depth = 0;
        var start = open + 1;
        for (var i = open; i < text.Length; i++)
        {
            depth += text[i] switch { '<' or '[' => 1, '>' or ']' => -1, _ => 0 };
            if (depth > (text[i] == ',' ? 1 : 0)) continue;
            arguments.Add(text[start..i]);
            start = i + 1;
        }

        return (text[..open], [.. arguments]);
    }
}
