using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Diagnosis;

/// <summary>A node of a model's source, and what the rules ask of it.</summary>
internal sealed record Site(SyntaxNode Node, SemanticModel Model)
{
    /// <summary>The words by which a diagnosis may name an operator that C# writes as a sign.</summary>
    private static readonly Dictionary<string, string> s_signs = new()
    {
        ["+"] = "add|+", ["+="] = "add|+", ["-"] = "sub|rsub|-", ["-="] = "sub|rsub|-", ["*"] = "mul|*", ["*="] = "mul|*",
        ["/"] = "div|reciprocal|/",
    };

    /// <summary>Whether the node is in a method that <c>forward</c> may call.</summary>
    public bool Runs => Node.FirstAncestorOrSelf<MethodDeclarationSyntax>() is
        { Identifier.Text: not ("Initialize" or "InitWeights" or "Layer") } method && !method.Modifiers.Any(SyntaxKind.StaticKeyword);

    /// <summary>An operator between two operands whose result is a tensor.</summary>
    public (string Sign, ExpressionSyntax Left, ExpressionSyntax Right)? Binary =>
        Node is BinaryExpressionSyntax binary && IsTensor(binary) ? (binary.OperatorToken.Text, binary.Left, binary.Right) : null;

    /// <summary>A call of an operator, and its tensor or number: <c>x</c> in <c>x.relu()</c> and <c>functional.relu(x)</c>.</summary>
    public (string Name, ExpressionSyntax? On, InvocationExpressionSyntax Node)? Call =>
        Node is InvocationExpressionSyntax call && Name(call) is { } name ? (name, On(call), call) : null;

    /// <summary>Whether the node calls a method of TorchSharp.</summary>
    public bool IsLibrary => Node is InvocationExpressionSyntax && Symbol(Node)?.ContainingAssembly?.Name == "Bridge.Torch";

    /// <summary>The call of a factory of modules (<c>Conv2d(…)</c>), and the path at which the class registers the module.</summary>
    public (string Name, string Path, InvocationExpressionSyntax Node)? Factory =>
        Node is InvocationExpressionSyntax call && Registered(Node) is { } path && IsLibrary && Symbol(Node) is IMethodSymbol
        {
            IsStatic: true, ReturnType.ContainingNamespace.Name: "Modules", ContainingType.Name: "nn",
        } method ? (method.Name, path, call) : null;

    /// <summary>
    /// A call of a child, with the child's path and class: <c>norm</c> for <c>norm.call(x)</c>, <c>h.*</c> for <c>h[i].call(x)</c>, and
    /// <c>*</c> for a local variable.
    /// </summary>
    public (string Path, string Class, ExpressionSyntax Child, ArgumentListSyntax Arguments)? Child
    {
        get
        {
            if (Node is not InvocationExpressionSyntax
                {
                    Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "call", Expression: var child },
                } call)
            {
                return null;
            }

            var path = child switch
            {
                IdentifierNameSyntax name when Symbol(name) is IFieldSymbol => name.Identifier.Text,
                IdentifierNameSyntax name when Symbol(name) is ILocalSymbol => "*",
                ElementAccessExpressionSyntax { Expression: IdentifierNameSyntax list } => list.Identifier.Text + ".*",
                MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax } member => member.Name.Identifier.Text,
                _ => null,
            };
            return path is null ? null : (path, Type(child)?.Name ?? "", child, call.ArgumentList);
        }
    }

    /// <summary>The call of a child that takes one tensor and returns one.</summary>
    public (string Path, string Class, ExpressionSyntax Child, ExpressionSyntax Argument)? Layer =>
        Child is (var path, var name, var child, { Arguments: [{ Expression: var only }] }) && IsTensor(Node) && IsTensor(only)
            ? (path, name, child, only) : null;

    /// <summary>Whether the node is the value of a <c>return</c> or of a method with an arrow.</summary>
    public bool IsReturned => Node.Parent is ReturnStatementSyntax or ArrowExpressionClauseSyntax;

    /// <summary>The words for the nearest operator on tensors around a number; empty without such an operator.</summary>
    public string[] Used => [.. Node.Ancestors().TakeWhile(outer => outer is not StatementSyntax)
        .Where(outer => outer is BinaryExpressionSyntax or InvocationExpressionSyntax && IsTensor(outer)).Take(1)
        .Select(outer => outer is BinaryExpressionSyntax sign ? Words(sign.OperatorToken.Text) : Name((InvocationExpressionSyntax)outer))
        .OfType<string>().Where(words => words != "")];

    /// <summary>The words by which a diagnosis may name an operator.</summary>
    public static string Words(string name) => name switch
    {
        "pad" => "pad|constant_pad_nd|pads",
        "softmax" or "log_softmax" => $"{name}|_{name}",
        "max" or "min" => $"{name}|a{name}",
        _ => char.IsLetter(name[0]) ? name : s_signs.GetValueOrDefault(name, ""),
    };

    /// <summary>An expression of this text.</summary>
    public static ExpressionSyntax Parse(string text) => SyntaxFactory.ParseExpression(text);

    /// <summary>A node with two of its descendants exchanged.</summary>
    public static SyntaxNode Exchange(SyntaxNode node, SyntaxNode a, SyntaxNode b) =>
        node.ReplaceNodes([a, b], (each, _) => (each == a ? b : a).WithTriviaFrom(each));

    /// <summary>The elements of an array or a collection expression; none for another expression.</summary>
    public static SyntaxNode[] Elements(ExpressionSyntax list) => list switch
    {
        ImplicitArrayCreationExpressionSyntax array => [.. array.Initializer.Expressions],
        ArrayCreationExpressionSyntax { Initializer: { } array } => [.. array.Expressions],
        CollectionExpressionSyntax collection => [.. collection.Elements],
        _ => [],
    };

    /// <summary>The value of an integer literal, which may have a minus.</summary>
    public static long? Integer(SyntaxNode? node) => long.TryParse(node?.ToString(), out var value) ? value : null;

    /// <summary>The fields of the node's class that have one of these types, separated by spaces.</summary>
    public IEnumerable<string> Fields(string types) =>
        from field in Node.FirstAncestorOrSelf<ClassDeclarationSyntax>()?.Members.OfType<FieldDeclarationSyntax>() ?? []
        where types.Split(' ').Contains(field.Declaration.Type.ToString())
        from variable in field.Declaration.Variables
        select variable.Identifier.Text;

    public bool IsTensor(SyntaxNode node) => Type(node) is { Name: "Tensor" or "Parameter" };

    public bool IsNumber(SyntaxNode node) =>
        Type(node) is { SpecialType: >= SpecialType.System_SByte and <= SpecialType.System_Double } or { Name: "Scalar" };

    /// <summary>The value that the call gives for a parameter with one of these names, separated by spaces; null for a default.</summary>
    public ExpressionSyntax? Argument(string names) =>
        ((Model.GetOperation(Node) as IInvocationOperation)?.Arguments.FirstOrDefault(argument =>
            argument.ArgumentKind == ArgumentKind.Explicit && names.Split(' ').Contains(argument.Parameter?.Name))?.Syntax
            as ArgumentSyntax)?.Expression;

    /// <summary>The call with another value for a parameter; null if the value is the same, or no parameter has one of the names.</summary>
    public SyntaxNode? With(string names, string value)
    {
        if (Argument(names) is { } given)
        {
            return given.ToString() == value ? null : Node.ReplaceNode(given, Parse(value));
        }

        var parameter = (Symbol(Node) as IMethodSymbol)?.Parameters.FirstOrDefault(each => names.Split(' ').Contains(each.Name));
        if (parameter is null or { IsParams: true })
        {
            return null;
        }

        var list = ((InvocationExpressionSyntax)Node).ArgumentList;
        var named = SyntaxFactory.ParseArgumentList($"({parameter.Name}: {value})").Arguments[0];
        return Node.ReplaceNode(list, list.AddArguments(
            named.WithLeadingTrivia(list.Arguments.Count > 0 ? SyntaxFactory.Space : default)));
    }

    private static string? Name(InvocationExpressionSyntax call) => call.Expression switch
    {
        MemberAccessExpressionSyntax member => member.Name.Identifier.Text,
        IdentifierNameSyntax name => name.Identifier.Text,
        _ => null,
    };

    private ExpressionSyntax? On(InvocationExpressionSyntax call) =>
        call.Expression is MemberAccessExpressionSyntax member && IsTensor(member.Expression) ? member.Expression
        : call.ArgumentList.Arguments is [{ Expression: var first }, ..] && (IsTensor(first) || IsNumber(first)) ? first : null;

    private ITypeSymbol? Type(SyntaxNode node) => Model.GetTypeInfo(node).Type;

    private ISymbol? Symbol(SyntaxNode node) => Model.GetSymbolInfo(node).Symbol;

    /// <summary>The path of a module made at a node, by fields and positions or names in a Sequential; null if it is not plain.</summary>
    private static string? Registered(SyntaxNode node)
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
                    when tuple.Arguments[0].Expression is LiteralExpressionSyntax name:
                    path = $".{name.Token.ValueText}{path}";
                    outer = tuple.Parent!; // the argument of the Sequential, whose position does not count
                    break;
                case ArgumentSyntax { Parent: ArgumentListSyntax { Parent: InvocationExpressionSyntax or ObjectCreationExpressionSyntax } }:
                case StatementSyntax or MemberDeclarationSyntax:
                    return null;
                case AssignmentExpressionSyntax { Left: IdentifierNameSyntax field }:
                    return field.Identifier.Text + path;
                case AssignmentExpressionSyntax { Left: MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax } field }:
                    return field.Name.Identifier.Text + path;
                case VariableDeclaratorSyntax { Parent.Parent: FieldDeclarationSyntax } field:
                    return field.Identifier.Text + path;
            }
        }

        return null;
    }
}
