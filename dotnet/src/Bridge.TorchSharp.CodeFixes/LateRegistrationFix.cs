using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Moves the call of <c>RegisterComponents</c> to the end of the constructor.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(LateRegistrationFix)), Shared]
internal sealed class LateRegistrationFix() : EditingFix(Rules.Late, "Call 'RegisterComponents' at the end of the constructor")
{
    internal override async Task<IReadOnlyList<Edit>> EditsAsync(
        Document document, Diagnostic diagnostic, CancellationToken cancellation)
    {
        var root = await document.GetSyntaxRootAsync(cancellation).ConfigureAwait(false);
        if (root is null || diagnostic.AdditionalLocations.Count == 0)
        {
            return [];
        }
        var call = root.FindNode(diagnostic.AdditionalLocations[0].SourceSpan);
        if (call.FirstAncestorOrSelf<ExpressionStatementSyntax>() is not { } statement
            || statement.Parent?.Parent is not ConstructorDeclarationSyntax constructor)
        {
            return [];
        }
        var text = await document.GetTextAsync(cancellation).ConfigureAwait(false);
        return ConstructorText.Append(document, text, constructor) is { } added
            ? [ConstructorText.Remove(document, text, statement), added]
            : [];
    }
}
