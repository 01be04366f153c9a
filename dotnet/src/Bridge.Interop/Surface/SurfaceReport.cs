using System.Text.Json;

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
        var name = type.Replace('+', '/');
        if (!check.Root.Has(name)) name = name.LastIndexOf('.') is > 0 and var dot ? name[..dot] : name;
        if (!check.Root.Has(name)) return; // there is none; whoever looks for it says so
        var lacks = check.Lacks(name).GroupBy(entry => entry.Member).Select(group => $"{group.Key} (used by {string.Join(", ", group.Select(entry => Pretty.Class(entry.Class)).Distinct())})").ToList();
        if (lacks.Count == 0) return;
        var more = lacks.Count > Listed ? $"\n  and {lacks.Count - Listed} more" : "";
        throw new NotSupportedException(
            $"{Pretty.Class(name)} needs what Bridge.Torch lacks of TorchSharp ({lacks.Count}):\n  {string.Join("\n  ", lacks.Take(Listed))}{more}\n" +
            $"`python -m bridge doctor --assembly {Path.GetFileName(path)}` shows which classes of the assembly run.");
    }

    /// <summary>Every class that uses TorchSharp or reaches one that does: <c>[{"class": …, "module": …, "missing": [{"member": …, "by": …}, …]}, …]</c>.</summary>
    internal static string Json(SurfaceCheck check)
    {
        var modules = check.Root.Modules();
        var rows = check.Root.Classes.Where(name => name != "<Module>" && !name.StartsWith('<')).OrderBy(name => name, StringComparer.Ordinal).Select(name => new
        {
            @class = Pretty.Class(name),
            module = modules.Contains(name),
            missing = check.Lacks(name).Select(entry => new { member = entry.Member, by = Pretty.Class(entry.Class) }),
        });
        return JsonSerializer.Serialize(rows);
    }
}
