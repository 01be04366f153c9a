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
        foreach (var type in theirs.Types)
        {
            if (ours.Type(type) is not { } ourType) continue;
            foreach (var line in Lines(CSharpText.Type(type), theirs.Type(type)!, ourType)) yield return line;
            foreach (var (name, signature, declaration) in theirs.Members(type))
            {
                if (ours.Find(type, name, signature) is not { } ourMember) continue;
                compared++;
                foreach (var line in Lines(CSharpText.Member(type, name, signature), declaration, ourMember)) yield return line;
            }
        }

        yield return $"compared\t{compared}";
    }

    private static IEnumerable<string> Lines(string member, Declaration theirs, Declaration ours)
    {
        List<(string What, string Theirs, string Ours)> found =
            [("obsolete", theirs.Obsolete, ours.Obsolete), ("field", theirs.Assigned, ours.Assigned)];
        foreach (var (their, our) in theirs.Parameters.Zip(ours.Parameters))
        {
            found.Add(($"name of {their.Name}", their.Name, our.Name));
            found.Add(($"default of {their.Name}", their.Default, our.Default));
            found.Add(($"params of {their.Name}", their.Params, our.Params));
            found.Add(($"tuple {their.Name}", their.Tuple, our.Tuple));
        }

        return found.Where(item => item.Theirs != item.Ours).Select(item => $"{member}\t{item.What}\t{item.Theirs}\t{item.Ours}");
    }
}
