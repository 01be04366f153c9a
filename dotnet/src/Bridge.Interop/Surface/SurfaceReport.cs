using System.Text;

namespace Bridge.Interop.Surface;

/// <summary>The check of one assembly as a refusal, and as a table for <c>doctor --assembly</c>.</summary>
internal static class SurfaceReport
{
    private const int Listed = 20;

    /// <summary>Refuses a class that needs what Bridge.Torch lacks, itself or in what it reaches.</summary>
    /// <param name="check">The check of its assembly.</param>
    /// <param name="type">The type's name as <c>bridge.load</c> takes it, or a method's of it.</param>
    /// <param name="path">The assembly.</param>
    /// <exception cref="NotSupportedException">It lacks something; the message lists it.</exception>
    internal static void Require(SurfaceCheck check, string type, string path)
    {
        string? Class(string name) => TypeNames.Spellings(name).Select(spelling => spelling.Replace('+', '/')).FirstOrDefault(check.Root.Has);
        var name = Class(type) ?? (type.LastIndexOf('.') is > 0 and var dot ? Class(type[..dot]) : null);
        if (name is null) return; // there is none; whoever looks for it says so
        var lacks = check.Lacks(name).GroupBy(entry => entry.Member).Select(group => $"{group.Key} (used by {string.Join(", ", group.Select(entry => Pretty.Class(entry.Class)).Distinct())})").ToList();
        if (lacks.Count == 0) return;
        var more = lacks.Count > Listed ? $"\n  and {lacks.Count - Listed} more" : "";
        throw new NotSupportedException(
            $"{Pretty.Class(name)} needs what Bridge.Torch lacks of TorchSharp ({lacks.Count}):\n  {string.Join("\n  ", lacks.Take(Listed))}{more}\n" +
            $"`python -m bridge doctor --assembly {Path.GetFileName(path)}` shows which classes of the assembly run.");
    }

    /// <summary>
    /// Every class, a line each, by name: its name, 1 for a module or 0, and then, for each missing member, the member and the class that uses it; between
    /// them tabs. Not JSON, whose writer would have to be loaded for it.
    /// </summary>
    internal static string Lines(SurfaceCheck check)
    {
        var modules = check.Root.Modules();
        List<string> names = [];
        foreach (var name in check.Root.Classes)
            if (name != "<Module>" && !name.StartsWith('<')) names.Add(name);
        names.Sort(StringComparer.Ordinal);
        var text = new StringBuilder();
        foreach (var name in names)
        {
            text.Append(Pretty.Class(name)).Append('\t').Append(modules.Contains(name) ? '1' : '0');
            foreach (var entry in check.Lacks(name)) text.Append('\t').Append(entry.Member).Append('\t').Append(Pretty.Class(entry.Class));
            text.Append('\n');
        }

        return text.ToString();
    }
}
