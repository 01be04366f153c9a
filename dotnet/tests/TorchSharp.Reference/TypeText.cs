namespace TorchSharp.Reference;

/// <summary>A type as the list writes it: <c>System.Nullable`1&lt;long&gt;[,]&amp;</c>, <c>!0</c>, <c>T modreq(X)</c>.</summary>
/// <param name="Name">The full name, or <c>!n</c>, <c>!!n</c>; empty for an array, pointer, reference or modified type.</param>
/// <param name="Arguments">The arguments of a generic instance.</param>
/// <param name="Element">What an array, pointer, reference or modified type is of.</param>
/// <param name="Suffix"><c>[]</c>, <c>[,]</c> …, <c>*</c>, <c>&amp;</c>, <c>modreq</c> or <c>modopt</c>.</param>
/// <param name="Modifier">The type in the modifier's brackets.</param>
internal sealed record TypeText(string Name, TypeText[] Arguments, TypeText? Element = null, string Suffix = "", TypeText? Modifier = null)
{
    internal static TypeText Parse(string text)
    {
        var place = 0;
        var found = Read(text, ref place);
        return place == text.Length ? found : throw new FormatException($"'{text}' is no type of the list: '{text[place..]}' is left over.");
    }

    private static TypeText Read(string text, ref int place)
    {
        var start = place;
        while (place < text.Length && text[place] is not ('<' or '>' or ',' or '[' or '*' or '&' or ' ' or '(' or ')')) place++;
        var name = text[start..place];
        List<TypeText> arguments = [];
        if (place < text.Length && text[place] == '<')
        {
            do
            {
                place++;
                arguments.Add(Read(text, ref place));
            }
            while (text[place] == ',');
            place++;
        }

        return ReadSuffixes(new(name, [.. arguments]), text, ref place);
    }

    private static TypeText ReadSuffixes(TypeText type, string text, ref int place)
    {
        while (place < text.Length && text[place] is '[' or '*' or '&' or ' ')
        {
            if (text[place] == ' ')
            {
                var kind = text[(place + 1)..(place + 7)];
                place += 8;
                var modifier = Read(text, ref place);
                place++;
                type = new("", [], type, kind, modifier);
                continue;
            }

            var end = text[place] == '[' ? text.IndexOf(']', place) + 1 : place + 1;
            type = new("", [], type, text[place..end]);
            place = end;
        }

        return type;
    }
}
