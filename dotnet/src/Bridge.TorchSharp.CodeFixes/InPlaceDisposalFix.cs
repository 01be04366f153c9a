using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Removes <c>using</c> from a declaration.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(InPlaceDisposalFix)), Shared]
internal sealed class InPlaceDisposalFix() : EditingFix(Rules.InPlace, "Remove 'using'")
{
    internal override async Task<IReadOnlyList<Edit>> EditsAsync(
        Document document, Diagnostic diagnostic, CancellationToken cancellation)
    {
        var root = await document.GetSyntaxRootAsync(cancellation).ConfigureAwait(false);
        var statement = root?.FindNode(diagnostic.Location.SourceSpan).FirstAncestorOrSelf<LocalDeclarationStatementSyntax>();
        // Other variables of the declaration may need to be disposed.
        if (statement is not { Declaration.Variables.Count: 1 } || statement.UsingKeyword.RawKind == 0)
        {
            return [];
        }
        var span = TextSpan.FromBounds(statement.UsingKeyword.SpanStart, statement.Declaration.SpanStart);
        return [new Edit(document.Id, span, "")];
    }
}
