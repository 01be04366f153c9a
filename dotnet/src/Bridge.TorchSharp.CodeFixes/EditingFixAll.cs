using Microsoft.CodeAnalysis.CodeActions;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Makes the edits of all diagnostics in a document, a project or the solution.</summary>
internal sealed class EditingFixAll : FixAllProvider
{
    internal static readonly EditingFixAll Instance = new();

    public override Task<CodeAction?> GetFixAsync(FixAllContext context)
    {
        var fix = (EditingFix)context.CodeFixProvider;
        return Task.FromResult<CodeAction?>(CodeAction.Create(
            fix.Title,
            async cancellation =>
            {
                var edits = new List<Edit>();
                foreach (var document in Documents(context))
                {
                    foreach (var diagnostic in await context.GetDocumentDiagnosticsAsync(document).ConfigureAwait(false))
                    {
                        edits.AddRange(await fix.EditsAsync(document, diagnostic, cancellation).ConfigureAwait(false));
                    }
                }
                return await Edit.ApplyAsync(context.Solution, edits, cancellation).ConfigureAwait(false);
            },
            context.CodeActionEquivalenceKey));
    }

    private static IEnumerable<Document> Documents(FixAllContext context) => context.Scope switch
    {
        FixAllScope.Document => context.Document is { } document ? [document] : [],
        FixAllScope.Project => context.Project.Documents,
        FixAllScope.Solution => context.Solution.Projects
            .Where(project => project.Language == LanguageNames.CSharp)
            .SelectMany(project => project.Documents),
        _ => [],
    };
}
