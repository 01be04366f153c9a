namespace TorchSharp.Reference;

/// <summary>A type in the notation of the list: <c>System.Nullable`1&lt;long&gt;[,]&amp;</c>, <c>!0</c>, <c>T modreq(X)</c>.</summary>
/// <param name="Name">The full name, or <c>!n</c>, <c>!!n</c>; empty for an array, pointer, reference or modified type.</param>
/// <param name="Arguments">The type arguments of a generic instance.</param>
/// <param name="Element">The element type of an array, pointer, reference or modified type.</param>
/// <param name="Suffix"><c>[]</c>, <c>[,]</c> …, <c>*</c>, <c>&amp;</c>, <c>modreq</c> or <c>modopt</c>.</param>
/// <param name="Modifier">The type of the modifier.</param>
internal sealed record TypeText(string Name, TypeText[] Arguments, TypeText? Element = null, string Suffix = "", TypeText? Modifier = null)
{
    internal static TypeText Parse(string text)
    {
        var position = 0;
        var found = Read(text, ref position);
        if (position == text.Length) return found;
        throw new FormatException($"'{text}' is not a type of the list: '{text[position..]}' is left over.");
    }

    private static TypeText Read(string text, ref int position)
    {
        var start = position;
        while (position < text.Length && text[position] is not ('<' or '>' or ',' or '[' or '*' or '&' or ' ' or '(' or ')')) position++;
        var name = text[start..position];
        List<TypeText> arguments = [];
        if (position < text.Length && text[position] == '<')
        {
            do
            {
                position++;
                arguments.Add(Read(text, ref position));
            }
            while (text[position] == ',');
            position++;
        }

        return ReadSuffixes(new(name, [.. arguments]), text, ref position);
    }

    private static TypeText ReadSuffixes(TypeText type, string text, ref int position)
    {
        while (position < text.Length && text[position] is '[' or '*' or '&' or ' ')
        {
            if (text[position] == ' ')
            {
                var kind = text[(position + 1)..(position + 7)];
                position += 8;
                var modifier = Read(text, ref position);
                position++;
                type = new("", [], type, kind, modifier);
                continue;
            }

            var end = text[position] == '[' ? text.IndexOf(']', position) + 1 : position + 1;
            type = new("", [], type, text[position..end]);
            position = end;
        }

        return type;
    }
}
