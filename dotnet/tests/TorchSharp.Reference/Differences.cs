using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Compares how TorchSharp and Bridge.Torch declare the types and members that both have, by exact signature.</summary>
internal static class Differences
{
    /// <summary>
    /// Yields a line for each difference: member, what differs, what TorchSharp has, what Bridge.Torch has, separated by tabs; and a last
    /// line with the number of members compared.
    /// </summary>
    /// <param name="library">TorchSharp.dll, or the assembly of its signatures.</param>
    internal static IEnumerable<string> Lines(string library)
    {
        using var theirs = new Declarations(library);
        using var ours = new Declarations(typeof(torch).Assembly.Location);
        var compared = 0;
        foreach (var type in theirs.Types.Where(name => name.StartsWith("TorchSharp.", StringComparison.Ordinal)))
        {
            if (ours.Type(type, inherited: true) is not { } ourType) continue;
            foreach (var line in Lines(CSharpText.Type(type), "", theirs.Type(type, inherited: false)!, ourType)) yield return line;
            foreach (var (name, signature, declaration) in theirs.Members(type))
            {
                var member = CSharpText.Member(type, name, signature);
                if (ours.Find(type, name, signature) is { } ourMember)
                {
                    compared++;
                    foreach (var line in Lines(member, "", declaration, ourMember)) yield return line;
                }
                else if (declaration.IsProperty)
                {
                    yield return $"{member}\tproperty\tproperty\t"; // Coverage compares the accessors only.
                }
            }
        }

        yield return $"compared\t{compared}";
    }

    private static IEnumerable<string> Lines(string member, string of, Declaration theirs, Declaration ours)
    {
        List<(string What, string Theirs, string Ours)> found =
            [.. theirs.Facts.Zip(ours.Facts, (their, our) => (their.What, their.Value, our.Value))];
        foreach (var ((what, their), (_, our)) in theirs.Sets.Zip(ours.Sets))
            found.Add((what, string.Join(" ", their.Except(our)), "")); // What Bridge.Torch lacks.
        if (theirs.Type is { } type && ours.Type is { } ourType)
            found.Add(("nullability", CSharpText.Type($"{type}"), CSharpText.Type($"{ourType.WhereMarked(type)}")));
        return found.Where(item => item.Theirs != item.Ours)
            .Select(item => $"{member}\t{item.What}{of}\t{item.Theirs}\t{item.Ours}")
            .Concat(theirs.Parameters.Zip(ours.Parameters).SelectMany(pair =>
                Lines(member, $" of {pair.First.Name}", pair.First, pair.Second)));
    }
}
