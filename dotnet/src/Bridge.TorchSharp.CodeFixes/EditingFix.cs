using Microsoft.CodeAnalysis.CodeActions;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Serves as the base of fixes that are edits of the text, so that any number of them is made at once.</summary>
internal abstract class EditingFix(DiagnosticDescriptor rule, string title) : CodeFixProvider
{
    public sealed override ImmutableArray<string> FixableDiagnosticIds => ImmutableArray.Create(rule.Id);

    internal string Title => title;

    public sealed override FixAllProvider GetFixAllProvider() => EditingFixAll.Instance;

    public sealed override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        foreach (var diagnostic in context.Diagnostics)
        {
            var edits = await EditsAsync(context.Document, diagnostic, context.CancellationToken).ConfigureAwait(false);
            if (edits.Any())
            {
                var solution = context.Document.Project.Solution;
                context.RegisterCodeFix(
                    CodeAction.Create(title, cancellation => Edit.ApplyAsync(solution, edits, cancellation), rule.Id), diagnostic);
            }
        }
    }

    /// <summary>Returns the edits that fix the diagnostic; none if it cannot be fixed without a decision.</summary>
    internal abstract Task<IReadOnlyList<Edit>> EditsAsync(Document document, Diagnostic diagnostic, CancellationToken cancellation);
}
