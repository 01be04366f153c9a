using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Makes a private <c>List</c> of modules a <c>ModuleList</c>, if its class compiles with it.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ModuleListFix)), Shared]
internal sealed class ModuleListFix() : EditingFix(Rules.Collection, "Use a 'ModuleList'")
{
    internal override async Task<IReadOnlyList<Edit>> EditsAsync(
        Document document, Diagnostic diagnostic, CancellationToken cancellation)
    {
        var root = await document.GetSyntaxRootAsync(cancellation).ConfigureAwait(false);
        var model = await document.GetSemanticModelAsync(cancellation).ConfigureAwait(false);
        if (model is null
            || root?.FindNode(diagnostic.Location.SourceSpan) is not VariableDeclaratorSyntax variable
            || variable.Parent is not VariableDeclarationSyntax { Variables.Count: 1 } declaration
            || declaration.Type is not GenericNameSyntax { Identifier.ValueText: "List" } list
            || model.GetDeclaredSymbol(variable, cancellation) is not IFieldSymbol { DeclaredAccessibility: Accessibility.Private } field
            || !TorchSymbols.IsModule(((INamedTypeSymbol)field.Type).TypeArguments[0])
            || field.ContainingType.DeclaringSyntaxReferences.Length != 1)
        {
            return [];
        }
        var name = Name(model, list.SpanStart);
        var edits = new List<Edit> { new(document.Id, list.Identifier.Span, name) };
        edits.AddRange(
            from creation in Values(model, variable, field).OfType<ObjectCreationExpressionSyntax>()
            let type = creation.Type as GenericNameSyntax
            where type?.Identifier.ValueText == "List"
            select new Edit(document.Id, type.Identifier.Span, name));
        return await Compiles(document, model, edits, cancellation).ConfigureAwait(false) ? edits : [];
    }

    /// <summary>Returns what the class assigns to the field.</summary>
    private static IEnumerable<ExpressionSyntax> Values(SemanticModel model, VariableDeclaratorSyntax variable, IFieldSymbol field)
    {
        if (variable.Initializer is { } initializer)
        {
            yield return initializer.Value;
        }
        var type = variable.FirstAncestorOrSelf<TypeDeclarationSyntax>()!;
        foreach (var assignment in type.DescendantNodes().OfType<AssignmentExpressionSyntax>())
        {
            if (SymbolEqualityComparer.Default.Equals(model.GetSymbolInfo(assignment.Left).Symbol, field))
            {
                yield return assignment.Right;
            }
        }
    }

    private static string Name(SemanticModel model, int position)
    {
        var isKnown = model.LookupNamespacesAndTypes(position, name: "ModuleList").OfType<INamedTypeSymbol>().Any(TorchSymbols.IsContainer);
        return isKnown ? "ModuleList" : "global::TorchSharp.Modules.ModuleList";
    }

    private static async Task<bool> Compiles(
        Document document, SemanticModel before, IReadOnlyList<Edit> edits, CancellationToken cancellation)
    {
        var solution = await Edit.ApplyAsync(document.Project.Solution, edits, cancellation).ConfigureAwait(false);
        var after = await solution.GetDocument(document.Id)!.GetSemanticModelAsync(cancellation).ConfigureAwait(false);
        return Errors(after!, cancellation) <= Errors(before, cancellation);
    }

    private static int Errors(SemanticModel model, CancellationToken cancellation) =>
        model.GetDiagnostics(cancellationToken: cancellation).Count(found => found.Severity == DiagnosticSeverity.Error);
}
