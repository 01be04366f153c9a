using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>
/// Generates properties of module classes marked with <c>[Settings]</c>: those that the list of TorchSharp's members
/// (<c>surface.jsonl</c>) has and the class lacks.
/// </summary>
/// <remarks>
/// A property has a setter if the list says so. The setter publishes the value to Python. The table <c>Parameters.tsv</c> has a
/// text for each name. A text for <c>Linear.bias</c> is for the name <c>bias</c> in <c>Linear</c> alone (<see cref="MemberDocs"/>).
/// </remarks>
[Generator]
public sealed class SettingsGenerator : IIncrementalGenerator
{
    private static readonly DiagnosticDescriptor Wrong = new(
        "BT0003", "Settings that cannot be generated", "{0}", "Bridge", DiagnosticSeverity.Error, true);

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var marked = context.SyntaxProvider.ForAttributeWithMetadataName(
            "Bridge.Torch.SettingsAttribute", static (_, _) => true, static (found, _) => (INamedTypeSymbol)found.TargetSymbol);
        context.RegisterSourceOutput(marked.Collect().Combine(MemberTexts.Of(context)), static (output, found) =>
        {
            var (classes, texts) = found;
            if (texts is null) return;
            var source = new Source();
            foreach (var type in classes)
            {
                var missing = Listed.Properties(texts.List, FullName(type))
                    .Where(property => !Has(type, property.Name)).ToList();
                var unknown = missing.Where(property => Text(texts.Parameters, type, property) is null)
                    .Select(property => property.Name).ToList();
                if (missing.Count == 0 || unknown.Count > 0)
                {
                    output.ReportDiagnostic(Diagnostic.Create(Wrong, type.Locations[0], missing.Count == 0
                        ? $"the list has no settings of '{type.Name}' that the class lacks"
                        : $"no text for the settings '{string.Join("', '", unknown)}' of '{type.Name}'"));
                    continue;
                }

                source.Open("namespace TorchSharp.Modules").Open($"partial class {type.Name}");
                foreach (var property in missing)
                {
                    var (verb, setter) = property.IsSettable ? ("Gets or sets", "set => field = Publish(value); ") : ("Gets", "");
                    source.Summary(
                        $"{verb} the setting <c>{property.Name}</c> of <c>{type.Name}</c>: {Text(texts.Parameters, type, property)}");
                    source.Line($"public {property.Type.CSharp(false)} @{property.Name} {{ get; {setter}}}");
                }

                source.Close().Close();
            }

            output.AddSource("Settings.g.cs", source.ToString());
        });
    }

    private static bool Has(INamedTypeSymbol? type, string property) =>
        type is not null && (!type.GetMembers(property).IsEmpty || Has(type.BaseType, property));

    private static string FullName(INamedTypeSymbol type) => type.ContainingNamespace.ToDisplayString() + "." + type.MetadataName;

    private static string? Text(Dictionary<string, string> parameters, INamedTypeSymbol type, ListedProperty property) =>
        MemberDocs.Find(parameters, property.Name, type.Name, "nn") is { } text ? MemberDocs.Inner(text) : null;
}
