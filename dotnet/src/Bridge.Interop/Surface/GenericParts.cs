namespace Bridge.Interop.Surface;

/// <summary>Takes a generic instance apart, as <see cref="SignatureText"/> writes it.</summary>
internal static class GenericParts
{
    /// <summary>The generic type and its arguments: <c>A&lt;b,C&lt;d,e&gt;&gt;</c> gives <c>A</c>, <c>b</c> and <c>C&lt;d,e&gt;</c>.</summary>
    internal static (string Type, string[] Arguments) Of(string text)
    {
        var open = text.IndexOf('<', StringComparison.Ordinal);
        if (open < 0 || !text.EndsWith('>')) return (text, []);
        List<string> arguments = [];
        var depth = 0;
        var start = open + 1;
        for (var place = open; place < text.Length; place++)
        {
            depth += text[place] switch { '<' or '[' => 1, '>' or ']' => -1, _ => 0 };
            if (depth > (text[place] == ',' ? 1 : 0)) continue;
            arguments.Add(text[start..place]);
            start = place + 1;
        }

        return (text[..open], [.. arguments]);
    }
}
