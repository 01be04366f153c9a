using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Diagnosis;

/// <summary>What the kinds ask of a model's source: its types, its children, where a node stands.</summary>
/// <param name="Model">The meaning of the unmutated source.</param>
internal sealed record Code(SemanticModel Model)
{
    /// <summary>Whether an expression is a Tensor.</summary>
    public bool IsTensor(ExpressionSyntax one) => Model.GetTypeInfo(one).Type is { Name: "Tensor" or "Parameter" };

    /// <summary>Whether an expression is a number.</summary>
    public bool IsNumber(ExpressionSyntax one) =>
        Model.GetTypeInfo(one).Type is { SpecialType: >= SpecialType.System_SByte and <= SpecialType.System_Double } or { Name: "Scalar" };

    /// <summary>Whether a node runs when the model does: in a method of a module, not in a constructor or what only one calls.</summary>
    public static bool Runs(SyntaxNode one) =>
        one.FirstAncestorOrSelf<MethodDeclarationSyntax>() is { } method
            && method.Identifier.Text is not ("Initialize" or "InitWeights" or "Layer")
        && method.Modifiers.All(each => !each.IsKind(SyntaxKind.StaticKeyword));

    /// <summary>
    /// The method and its arguments, where a node calls one of TorchSharp's: <c>Conv2d(…)</c>, <c>x.relu()</c>, <c>functional.relu(x)</c>.
    /// </summary>
    public (IMethodSymbol Method, InvocationExpressionSyntax Call)? Library(SyntaxNode node) =>
        node is InvocationExpressionSyntax call
            && Model.GetSymbolInfo(call).Symbol is IMethodSymbol { ContainingAssembly.Name: "Bridge.Torch" } method
            ? (method, call) : null;

    /// <summary>The name of the module that a factory makes (<c>Conv2d</c>), and the call; null for what is none.</summary>
    public (string Name, IMethodSymbol Method, InvocationExpressionSyntax Call)? Factory(SyntaxNode node) =>
        Library(node) is var (method, call) && method is { IsStatic: true, ReturnType.ContainingNamespace.Name: "Modules" }
        && method.ContainingType.Name == "nn" ? (method.Name, method, call) : null;

    /// <summary>The argument that a call gives for a parameter of one of these names; null where it gives none.</summary>
    public ArgumentSyntax? Argument(InvocationExpressionSyntax call, params string[] names) =>
        (Model.GetOperation(call) as IInvocationOperation)?.Arguments
            .FirstOrDefault(one => one.ArgumentKind == ArgumentKind.Explicit && one.Parameter is { } named
                && names.Contains(named.Name))?.Syntax as ArgumentSyntax;

    /// <summary>
    /// The call with another value for a parameter, added by name where the call gave none; null where it has no such parameter.
    /// </summary>
    public InvocationExpressionSyntax? With(InvocationExpressionSyntax call, string value, params string[] names)
    {
        if (Argument(call, names) is { } given)
        {
            return given.Expression.ToString() == value ? null : call.ReplaceNode(given.Expression, Parse(value));
        }

        var method = Model.GetSymbolInfo(call).Symbol as IMethodSymbol;
        if (method?.Parameters.FirstOrDefault(one => names.Contains(one.Name)) is not { } parameter || parameter.IsParams)
        {
            return null;
        }

        var name = SyntaxFactory.NameColon(parameter.Name).WithTrailingTrivia(SyntaxFactory.Space);
        var added = SyntaxFactory.Argument(Parse(value)).WithNameColon(name)
            .WithLeadingTrivia(call.ArgumentList.Arguments.Count > 0 ? SyntaxFactory.Space : default);
        return call.WithArgumentList(call.ArgumentList.AddArguments(added));
    }

    /// <summary>
    /// Where a factory's module stands in the class, by the names of fields and places in a Sequential; null where that is not plain.
    /// </summary>
    public static string? Child(SyntaxNode node)
    {
        var path = "";
        for (var at = node; at.Parent is { } outer; at = outer)
        {
            switch (outer)
            {
                case ArgumentSyntax { Parent: ArgumentListSyntax { Parent: InvocationExpressionSyntax call } list } argument
                    when call.Expression.ToString() is "Sequential" or "nn.Sequential" or "ModuleList":
                    path = $".{list.Arguments.IndexOf(argument)}{path}";
                    break;
                case ArgumentSyntax { Parent: TupleExpressionSyntax tuple }
                    when tuple.Arguments[0].Expression is LiteralExpressionSyntax named:
                    path = $".{named.Token.ValueText}{path}";
                    // The tuple is an argument of a Sequential: its place does not count.
                    outer = tuple.Parent!;
                    break;
                case ArgumentSyntax { Parent: ArgumentListSyntax { Parent: InvocationExpressionSyntax or ObjectCreationExpressionSyntax } }:
                    return null;
                case AssignmentExpressionSyntax assignment:
                    return assignment.Left switch
                    {
                        IdentifierNameSyntax name => name.Identifier.Text + path,
                        MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax } member => member.Name.Identifier.Text + path,
                        _ => null,
                    };
                case VariableDeclaratorSyntax { Parent.Parent: FieldDeclarationSyntax } field:
                    return field.Identifier.Text + path;
                case StatementSyntax or MemberDeclarationSyntax:
                    return null;
            }
        }

        return null;
    }

    /// <summary>
    /// The child that a call runs: <c>norm</c> of <c>norm.call(x)</c>, <c>h.*</c> of <c>h[i].call(x)</c>; null for any other call.
    /// </summary>
    public string? Called(SyntaxNode node) =>
        node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "call" } member }
            ? Named(member.Expression) : null;

    private string? Named(ExpressionSyntax one) => one switch
    {
        IdentifierNameSyntax name when Model.GetSymbolInfo(name).Symbol is IFieldSymbol => name.Identifier.Text,
        IdentifierNameSyntax name when Model.GetSymbolInfo(name).Symbol is ILocalSymbol => "*",
        ElementAccessExpressionSyntax { Expression: IdentifierNameSyntax list } => list.Identifier.Text + ".*",
        MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax } member => member.Name.Identifier.Text,
        _ => null,
    };

    /// <summary>An expression of this text.</summary>
    public static ExpressionSyntax Parse(string text) => SyntaxFactory.ParseExpression(text);

    /// <summary>A node without what stands around it, as text.</summary>
    public static string Text(SyntaxNode node) => node.WithoutTrivia().ToFullString();
}
