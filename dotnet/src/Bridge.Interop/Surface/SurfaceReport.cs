using System.Text;

namespace Bridge.Interop.Surface;

/// <summary>
/// Reports the TorchSharp members that an assembly uses and Bridge.Torch lacks: as an exception, and as a table for
/// <c>bridge.list_models</c> and <c>doctor --assembly</c>.
/// </summary>
internal static class SurfaceReport
{
    private const int MaxListed = 20;

    /// <summary>Throws if the code that a class or static method may run needs members that Bridge.Torch lacks.</summary>
    /// <param name="check">The check of the class's assembly.</param>
    /// <param name="name">The name of the class, or of a static method, as <c>bridge.load</c> takes it.</param>
    /// <param name="path">The path of the assembly.</param>
    /// <exception cref="BadImageFormatException">The assembly or one of its dependencies is damaged.</exception>
    /// <exception cref="NotSupportedException">Members are missing; the message lists them.</exception>
    internal static void Require(SurfaceCheck check, string name, string path)
    {
        // If there is no such class or method, the caller reports it.
        if (check.Reach(name) is not { Missing.Count: > 0 } reached) return;
        var missing = reached.Missing.GroupBy(entry => entry.Member).Select(group =>
            $"{group.Key} (used by {string.Join(", ", group.Select(entry => CSharpText.Class(entry.Class)).Distinct())})").ToList();
        var more = missing.Count > MaxListed ? $"\n  and {missing.Count - MaxListed} more" : "";
        throw new NotSupportedException(
            $"{name.Replace('+', '.')} needs members of TorchSharp that Bridge.Torch lacks ({missing.Count}):\n  " +
            $"{string.Join("\n  ", missing.Take(MaxListed))}{more}\n" +
            $"`python -m bridge doctor --assembly {Path.GetFileName(path)}` shows which classes of the assembly run.");
    }

    /// <summary>
    /// Returns the classes of an assembly, and its static methods that return a module, in alphabetical order. Each has a line, and lines
    /// that describe it follow. Tabs separate the fields of a line:
    /// <list type="bullet">
    /// <item><c>class</c>: the name; 1 for a module, 0 for another class; why the module cannot be created, or nothing</item>
    /// <item><c>method</c>: the name; 1; nothing</item>
    /// <item><c>signature</c>: a constructor of a module, or an overload of the method</item>
    /// <item><c>lacks</c>: a member that the class or method needs and Bridge.Torch lacks; the class that uses the member</item>
    /// <item><c>unless</c>: a method or property that does not run when the module is created and called; a member that this method or
    /// property needs and Bridge.Torch lacks. Members in a <c>lacks</c> line of the module are left out</item>
    /// </list>
    /// </summary>
    /// <remarks>Not JSON, because loading .NET's JSON writer takes time.</remarks>
    internal static string Lines(SurfaceCheck check)
    {
        var text = new StringBuilder();
        foreach (var entry in ListedModel.All(check.Root))
        {
            var reached = entry.Type is { } type ? check.Reach(type) : check.Reach(entry.Methods);
            Line(text, entry.Type is null ? "method" : "class", entry.Name, entry.IsModule ? "1" : "0", entry.Obstacle);
            if (entry.IsModule)
                foreach (var method in entry.Methods) Line(text, "signature", CSharpSignature.Of(method));
            foreach (var missing in reached.Missing) Line(text, "lacks", missing.Member, CSharpText.Class(missing.Class));
            if (entry is { IsModule: true, Type: not null }) AddUncalled(text, check, entry.Type, reached);
        }

        return text.ToString();
    }

    private static void AddUncalled(StringBuilder text, SurfaceCheck check, CheckedType type, Reachability reached)
    {
        HashSet<string> known = [];
        foreach (var missing in reached.Missing) known.Add(missing.Member);
        foreach (var method in type.Methods)
        {
            if (!method.IsAccessible || reached.Has(method)) continue;
            var name = method.Name.StartsWith("get_", StringComparison.Ordinal) || method.Name.StartsWith("set_", StringComparison.Ordinal)
                ? method.Name[4..] : method.Name;
            foreach (var missing in check.Reach([method], reached).Missing)
                if (!known.Contains(missing.Member)) Line(text, "unless", name, missing.Member);
        }
    }

    private static void Line(StringBuilder text, params string[] fields) => text.AppendJoin('\t', fields).Append('\n');
}
