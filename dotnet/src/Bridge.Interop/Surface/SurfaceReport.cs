using System.Text;

namespace Bridge.Interop.Surface;

/// <summary>
/// Reports the TorchSharp members that an assembly uses and Bridge.Torch lacks: as an exception, and as a table for
/// <c>doctor --assembly</c>.
/// </summary>
internal static class SurfaceReport
{
    private const int MaxListed = 20;

    /// <summary>Throws if a class, or any class that it uses directly or indirectly, needs members that Bridge.Torch lacks.</summary>
    /// <param name="check">The check of the class's assembly.</param>
    /// <param name="type">The name of the class, or of a method of the class, as <c>bridge.load</c> takes it.</param>
    /// <param name="path">The path of the assembly.</param>
    /// <exception cref="NotSupportedException">Members are missing; the message lists them.</exception>
    internal static void Require(SurfaceCheck check, string type, string path)
    {
        string? Class(string name) =>
            TypeNames.ReflectionNames(name).Select(other => other.Replace('+', '/')).FirstOrDefault(check.Root.Has);
        var name = Class(type) ?? (type.LastIndexOf('.') is > 0 and var dot ? Class(type[..dot]) : null);
        if (name is null) return; // The caller reports that the class does not exist.
        var missing = check.FindMissing(name).GroupBy(entry => entry.Member).Select(group =>
            $"{group.Key} (used by {string.Join(", ", group.Select(entry => CSharpText.Class(entry.Class)).Distinct())})").ToList();
        if (missing.Count == 0) return;
        var more = missing.Count > MaxListed ? $"\n  and {missing.Count - MaxListed} more" : "";
        throw new NotSupportedException(
            $"{CSharpText.Class(name)} needs members of TorchSharp that Bridge.Torch lacks ({missing.Count}):\n  " +
            $"{string.Join("\n  ", missing.Take(MaxListed))}{more}\n" +
            $"`python -m bridge doctor --assembly {Path.GetFileName(path)}` shows which classes of the assembly run.");
    }

    /// <summary>
    /// Returns a line for each class, in alphabetical order, with tab-separated fields: the name; 1 for a module, else 0; for each missing
    /// member, the member and the class that uses the member.
    /// </summary>
    /// <remarks>Not JSON, because loading .NET's JSON writer takes time.</remarks>
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
            text.Append(CSharpText.Class(name)).Append('\t').Append(modules.Contains(name) ? '1' : '0');
            foreach (var entry in check.FindMissing(name))
                text.Append('\t').Append(entry.Member).Append('\t').Append(CSharpText.Class(entry.Class));
            text.Append('\n');
        }

        return text.ToString();
    }
}
