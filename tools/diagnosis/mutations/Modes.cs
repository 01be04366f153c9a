using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Train mode, and gradients that do not flow as the original's do.</summary>
internal static class Modes
{
    public static IEnumerable<Kind> Kinds { get; } =
    [
        Kind.By("train mode", Mode("eval"), Mode("train")),
        Kind.Running("training inverted", site => site.Node is IdentifierNameSyntax { Identifier.Text: "training" } name
            ? (name.Parent is PrefixUnaryExpressionSyntax { OperatorToken.Text: "!" } not
                ? new Change(not, "training") : new(name, "!training")) with { Findings = ["operator", "setting"] } : null),
        Kind.Running("detach", site => site.Node is ExpressionSyntax value && site.IsTensor(value) && (site.IsReturned
            || value.Parent is EqualsValueClauseSyntax
            || (value.Parent is AssignmentExpressionSyntax { OperatorToken.Text: "=", Right: var right } && right == value))
                ? NoGradient(value, Site.Parse($"({value}).detach()")) : null),
        Kind.Running("no_grad", site => site.Node is MethodDeclarationSyntax { Body: { Statements: [var first, ..] } body }
            ? NoGradient(body, body.ReplaceNode(first, [
                SyntaxFactory.ParseStatement("using var nothing = torch.no_grad(); ").WithLeadingTrivia(first.GetLeadingTrivia()),
                first.WithoutLeadingTrivia()])) : null),
    ];

    /// <summary>Puts a child into a mode in the statement that calls it; the variables of the statement keep their scope.</summary>
    private static Func<Site, Change?> Mode(string mode) => site =>
    {
        if (site.Child is not (var child,
                "Dropout" or "BatchNorm2d" or "BatchNorm1d" or "Dropout2d" or "Sequential" or "LSTM" or "Mlp", _, _)
            || child.Contains('*') || site.Node.FirstAncestorOrSelf<StatementSyntax>() is not { Parent: BlockSyntax } statement)
        {
            return null;
        }

        var set = $"{child}.{mode}();";
        var value = (statement as LocalDeclarationStatementSyntax)?.Declaration.Variables[0].Initializer?.Value;
        return new(statement, value is null
            ? SyntaxFactory.ParseStatement($"{{ {set} {statement} }}")
            : statement.ReplaceNode(value, Site.Parse($"((System.Func<Tensor>)(() => {{ {set} return {value}; }}))()")), "mode")
        {
            Findings = ["setting", "latent"], Children = [child, child + ".*"], Owner = false,
        };
    };

    private static Change NoGradient(SyntaxNode old, SyntaxNode changed) => new(old, changed, "detach|no_grad")
    {
        Findings = ["operator", "gradient", "alone"], Children = ["*", "*.*"],
    };
}
