using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>The texts from which members are generated.</summary>
internal sealed class MemberTexts(IEnumerable<(string Name, string Text)> tables, string parameters, string list)
{
    private const string ParametersFile = "Parameters.tsv";
    private const string ListFile = "surface.jsonl";

    /// <summary>Gets the tables of members, in the order of their file names.</summary>
    internal IEnumerable<(string Name, string Text)> Tables => tables;

    /// <summary>Gets the texts of parameters, settings and results, by their keys (<see cref="MemberDocs"/>).</summary>
    internal Dictionary<string, string> Parameters { get; } =
        MemberTable.Lines(parameters).ToDictionary(cells => cells[0], cells => cells[1]);

    /// <summary>Gets the list of TorchSharp's members.</summary>
    internal string List => list;

    /// <summary>Returns the texts of a compilation, or null if it lacks <see cref="List"/> or the table of parameters.</summary>
    internal static IncrementalValueProvider<MemberTexts?> Of(IncrementalGeneratorInitializationContext context) =>
        context.AdditionalTextsProvider
            .Where(static file => file.Path.EndsWith(".tsv", StringComparison.Ordinal) || Path.GetFileName(file.Path) == ListFile)
            .Select(static (file, stop) => (Name: Path.GetFileName(file.Path), Text: file.GetText(stop)?.ToString() ?? "")).Collect()
            .Select(static (files, _) => files.ToDictionary(file => file.Name, file => file.Text))
            .Select(static (files, _) => !files.ContainsKey(ListFile) || !files.ContainsKey(ParametersFile) ? null : new MemberTexts(
                files.Where(file => file.Key is not (ListFile or ParametersFile)).OrderBy(file => file.Key, StringComparer.Ordinal)
                    .Select(file => (file.Key, file.Value)),
                files[ParametersFile], files[ListFile]));
}
