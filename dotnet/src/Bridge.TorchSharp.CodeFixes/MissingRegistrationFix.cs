using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Adds a call of <c>RegisterComponents</c> to each constructor that runs no other of the class.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(MissingRegistrationFix)), Shared]
internal sealed class MissingRegistrationFix() : EditingFix(Rules.Unregistered, "Call 'RegisterComponents' in the constructor")
{
    internal override async Task<IReadOnlyList<Edit>> EditsAsync(
        Document document, Diagnostic diagnostic, CancellationToken cancellation)
    {
        var root = await document.GetSyntaxRootAsync(cancellation).ConfigureAwait(false);
        var model = await document.GetSemanticModelAsync(cancellation).ConfigureAwait(false);
        var declaration = root?.FindNode(diagnostic.Location.SourceSpan).FirstAncestorOrSelf<ClassDeclarationSyntax>();
        if (declaration is null || model?.GetDeclaredSymbol(declaration, cancellation) is not { } type)
        {
            return [];
        }
        var edits = new List<Edit>();
        var text = await document.GetTextAsync(cancellation).ConfigureAwait(false);
        foreach (var constructor in type.InstanceConstructors)
        {
            // A primary constructor has no body. One in another file is left to the user.
            var syntax = constructor.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax(cancellation);
            if (syntax is not ConstructorDeclarationSyntax found || found.SyntaxTree != declaration.SyntaxTree)
            {
                return [];
            }
            var chains = found.Initializer.IsKind(SyntaxKind.ThisConstructorInitializer);
            if (!chains && ConstructorText.Append(document, text, found) is { } edit)
            {
                edits.Add(edit);
            }
        }
        return edits;
    }
}
