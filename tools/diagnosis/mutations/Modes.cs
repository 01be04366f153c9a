using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>The mode, and gradients that do not flow as the original's do.</summary>
internal static class Modes
{
    /// <summary>The kinds.</summary>
    public static IEnumerable<Kind> Kinds { get; } =
    [
        new("train mode", Mode),
        new("training inverted", Inverted),
        new("detach", Detached),
        new("no_grad", NoGrad),
    ];

    /// <summary>A child is put into eval or train mode by the forward that runs it.</summary>
    private static IEnumerable<Change> Mode(SyntaxNode node, Code code)
    {
        if (code.Called(node) is { } child && !child.Contains('*')
            && node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member } && Statement(node) is { } statement
            && code.Model.GetTypeInfo(member.Expression).Type?.Name is "Dropout" or "BatchNorm2d" or "BatchNorm1d" or "Dropout2d"
                or "Sequential" or "LSTM" or "Mlp")
        {
            foreach (var mode in new[] { "eval", "train" })
            {
                yield return new(statement, Before(statement, $"{child}.{mode}();"),
                    new(["setting", "latent"], ["mode"])) { Children = [child, child + ".*"], Owner = false };
            }
        }
    }

    private static IEnumerable<Change> Inverted(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is IdentifierNameSyntax { Identifier.Text: "training" } name)
        {
            var whole = node.Parent is PrefixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.LogicalNotExpression } not
                ? (SyntaxNode)not : name;
            yield return new(whole, Code.Parse(whole == name ? "!training" : "training"), new(["operator", "setting"])) { };
        }
    }

    private static IEnumerable<Change> Detached(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is ExpressionSyntax value && code.IsTensor(value)
            && node.Parent is EqualsValueClauseSyntax or ReturnStatementSyntax or ArrowExpressionClauseSyntax
                or AssignmentExpressionSyntax { RawKind: (int)SyntaxKind.SimpleAssignmentExpression }
            && !(node.Parent is AssignmentExpressionSyntax assigned && assigned.Left == node))
        {
            yield return new(value, Code.Parse($"({Code.Text(value)}).detach()"),
                new(["operator", "gradient", "alone"], ["detach", "no_grad"])) { Children = ["*", "*.*"] };
        }
    }

    private static IEnumerable<Change> NoGrad(SyntaxNode node, Code code)
    {
        if (node is MethodDeclarationSyntax { Body.Statements: [var first, ..] } && Code.Runs(node))
        {
            var text = $"using var nothing = torch.no_grad(); {Code.Text(first)}";
            var block = SyntaxFactory.ParseStatement($"{{ {text} }}");
            var statements = ((BlockSyntax)block).Statements;
            var body = ((MethodDeclarationSyntax)node).Body!;
            yield return new(body, body.WithStatements(body.Statements.RemoveAt(0)
                .InsertRange(0, [statements[0].WithLeadingTrivia(first.GetLeadingTrivia()),
                statements[1].WithTrailingTrivia(first.GetTrailingTrivia())])),
                new(["operator", "gradient", "alone"], ["detach", "no_grad"])) { Children = ["*", "*.*"] };
        }
    }

    private static StatementSyntax? Statement(SyntaxNode node) =>
        node.FirstAncestorOrSelf<StatementSyntax>() is { Parent: BlockSyntax } found ? found : null;

    /// <summary>A block's statements with another one before this one, on its line; declarations keep their scope.</summary>
    private static SyntaxNode Before(StatementSyntax statement, string other) =>
        statement is LocalDeclarationStatementSyntax local && local.Declaration.Variables[0].Initializer is { } initial
            ? statement.ReplaceNode(initial.Value,
                Code.Parse($"((System.Func<Tensor>)(() => {{ {other} return {Code.Text(initial.Value)}; }}))()"))
            : SyntaxFactory.ParseStatement($"{{ {other} {Code.Text(statement)} }}");
}
