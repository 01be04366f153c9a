using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Finds where a <c>forward</c> in the source returns the very object that it was given.</summary>
internal static class ReturnedInput
{
    /// <summary>Returns the returned expressions that are the parameter for certain: nothing above them assigns it.</summary>
    internal static ImmutableArray<Location> Find(IMethodSymbol forward, CancellationToken cancellation)
    {
        var found = ImmutableArray.CreateBuilder<Location>();
        foreach (var reference in forward.DeclaringSyntaxReferences)
        {
            if (reference.GetSyntax(cancellation) is MethodDeclarationSyntax method)
            {
                var parameter = method.ParameterList.Parameters[0].Identifier.ValueText;
                var assigned = FirstAssignment(method, parameter);
                found.AddRange(
                    from value in Returned(method).SelectMany(Branches)
                    where value.SpanStart < assigned && Is(value, parameter)
                    select value.GetLocation());
            }
        }
        return found.ToImmutable();
    }

    private static IEnumerable<ExpressionSyntax> Returned(MethodDeclarationSyntax method)
    {
        if (method.ExpressionBody is { } arrow)
        {
            return new[] { arrow.Expression };
        }
        return method.DescendantNodes(node => node is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax))
            .OfType<ReturnStatementSyntax>()
            .Select(statement => statement.Expression)
            .OfType<ExpressionSyntax>();
    }

    private static IEnumerable<ExpressionSyntax> Branches(ExpressionSyntax value) => value switch
    {
        ParenthesizedExpressionSyntax inner => Branches(inner.Expression),
        ConditionalExpressionSyntax choice => Branches(choice.WhenTrue).Concat(Branches(choice.WhenFalse)),
        SwitchExpressionSyntax choice => choice.Arms.SelectMany(arm => Branches(arm.Expression)),
        PostfixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.SuppressNullableWarningExpression } inner => Branches(inner.Operand),
        _ => new[] { value },
    };

    /// <summary>Returns whether the value is the parameter, or in-place methods of it, which return the same object.</summary>
    private static bool Is(ExpressionSyntax value, string parameter) => value switch
    {
        IdentifierNameSyntax name => name.Identifier.ValueText == parameter,
        InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name: IdentifierNameSyntax method } access } =>
            InPlace.IsName(method.Identifier.ValueText) && Is(access.Expression, parameter),
        _ => false,
    };

    /// <summary>Returns where the parameter first changes, or where a loop begins that changes it.</summary>
    private static int FirstAssignment(MethodDeclarationSyntax method, string parameter)
    {
        var changes = method.DescendantNodes().Where(node => node switch
        {
            AssignmentExpressionSyntax assignment => Mentions(assignment.Left, parameter),
            ArgumentSyntax argument => argument.RefKindKeyword.RawKind != 0 && Mentions(argument.Expression, parameter),
            _ => false,
        });
        return changes.Select(change => Outermost(change).SpanStart).DefaultIfEmpty(int.MaxValue).Min();
    }

    private static bool Mentions(ExpressionSyntax target, string parameter) => target switch
    {
        IdentifierNameSyntax name => name.Identifier.ValueText == parameter,
        TupleExpressionSyntax tuple => tuple.Arguments.Any(argument => Mentions(argument.Expression, parameter)),
        _ => false,
    };

    private static SyntaxNode Outermost(SyntaxNode change) => change.Ancestors().LastOrDefault(IsLoop) ?? change;

    private static bool IsLoop(SyntaxNode node) =>
        node is ForStatementSyntax or CommonForEachStatementSyntax or WhileStatementSyntax or DoStatementSyntax;
}
