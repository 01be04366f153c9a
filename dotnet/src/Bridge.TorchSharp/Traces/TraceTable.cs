using System.Globalization;

namespace Bridge.TorchSharp;

/// <summary>The table of a recording's modules that <see cref="HookTrace.Print"/> prints.</summary>
internal static class TraceTable
{
    private const int MaxWidth = 80;
    private const int MinCell = 6;
    private const string Gap = "  ";

    /// <summary>Returns the lines of the table.</summary>
    /// <param name="nodes">The recorded modules.</param>
    /// <param name="modules">The summaries of the modules.</param>
    internal static IEnumerable<string> Format(IReadOnlyList<ModuleNode> nodes, IReadOnlyList<ModuleSummary> modules)
    {
        List<Column> columns =
        [
            new("module", [.. Names(nodes)]),
            new("class", [.. modules.Select(module => module.Type)]),
            new("in", [.. modules.Select(module => module.Calls == 0 ? "not called" : Words(module.Inputs))]),
            new("out", [.. modules.Select(module => Words(module.Outputs))]),
        ];
        if (modules.Any(module => module.Calls > 1)) columns.Add(new("calls", [.. modules.Select(Calls)], Number: true));
        if (modules.Any(module => module.Cost is not null))
        {
            columns.Add(new("time", [.. modules.Select(module => Time(module.Cost?.Time))], Number: true));
            columns.Add(new("own", [.. modules.Select(module => Time(module.Cost?.OwnTime))], Number: true));
        }

        var widths = columns.Select(column => column.Width).ToArray();
        while (widths.Sum() + (Gap.Length * (widths.Length - 1)) > MaxWidth)
        {
            var widest = Enumerable.Range(0, widths.Length).Where(i => !columns[i].Number).MaxBy(i => widths[i]);
            if (widths[widest] == MinCell) break;
            widths[widest]--;
        }

        for (var row = -1; row < modules.Count; row++)
            yield return string.Join(Gap, columns.Select((column, i) => column.Cell(row, widths[i]))).TrimEnd();
        if (modules.Any(module => module.Varies)) yield return "* other calls of the module have other shapes or types";
        foreach (var node in nodes.Where(node => node.NativeModules.Count > 0)) yield return Native(node);
    }

    // Returns each module's path relative to the nearest recorded module above it, indented.
    private static IEnumerable<string> Names(IReadOnlyList<ModuleNode> nodes)
    {
        var depths = new Dictionary<ModuleNode, int>(ReferenceEqualityComparer.Instance);
        foreach (var node in nodes)
        {
            var above = node.Parent;
            while (above is not null && !depths.ContainsKey(above)) above = above.Parent;
            depths.Add(node, above is null ? 0 : depths[above] + 1);
            var name = above is null || above.Path.Length == 0 ? node.Path : node.Path[(above.Path.Length + 1)..];
            yield return new string(' ', 2 * depths[node]) + (name.Length == 0 ? "(root)" : name);
        }
    }

    // The modules whose calls are missing in the table.
    private static string Native(ModuleNode node)
    {
        var count = node.NativeModules.Count == 1 ? "a module" : $"{node.NativeModules.Count} modules";
        var text = $": {count} in native code, not recorded";
        var name = node.Path.Length == 0 ? "(root)" : node.Path;
        return (name.Length + text.Length > MaxWidth ? $"...{name[^(MaxWidth - text.Length - 3)..]}" : name) + text;
    }

    private static string Words(IReadOnlyList<TraceValue> values) => string.Join(", ", values.Select(value => value.ShortText));

    private static string Calls(ModuleSummary module) =>
        module.Calls.ToString(CultureInfo.InvariantCulture) + (module.Varies ? "*" : "");

    private static string Time(TimeSpan? time) => time switch
    {
        null => "",
        { TotalSeconds: >= 1 } => Rounded(time.Value.TotalSeconds, "s"),
        { TotalMilliseconds: >= 1 } => Rounded(time.Value.TotalMilliseconds, "ms"),
        _ => Rounded(time.Value.TotalMicroseconds, "us"),
    };

    private static string Rounded(double value, string unit) =>
        $"{value.ToString(value >= 99.95 ? "0" : value >= 9.995 ? "0.0" : "0.00", CultureInfo.InvariantCulture)} {unit}";

    private sealed record Column(string Title, IReadOnlyList<string> Cells, bool Number = false)
    {
        internal int Width => Cells.Append(Title).Max(cell => cell.Length);

        internal string Cell(int row, int width)
        {
            var text = row < 0 ? Title : Cells[row];
            if (text.Length > width) text = text[..(width - 3)] + "...";
            return Number ? text.PadLeft(width) : text.PadRight(width);
        }
    }
}
