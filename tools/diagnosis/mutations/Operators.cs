using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Operators that are replaced, missing or added, or have other operands.</summary>
internal static class Operators
{
    public static IEnumerable<Kind> Kinds { get; } =
    [
        Kind.Running("changed constant", site => site.Node is LiteralExpressionSyntax { Token.Value: double or float } number
            ? new(number, Scaled(number), site.Used) : null),
        Kind.Running("integer division",
            site => site.Node is LiteralExpressionSyntax { Token.Value: 0.5 or 0.5f } half ? new(half, "(1 / 2)", site.Used) : null,
            site => site is { Binary: null, Node: BinaryExpressionSyntax { OperatorToken.Text: "/", Left: LiteralExpressionSyntax } ratio }
                ? new(ratio, $"((int)({ratio.Left}) / (int)({ratio.Right}))", site.Used) : null,
            Binary("/", "", (a, b) => $"({a}).floor_divide({b})", "div|floor|/")),
        Kind.Running("swapped operands",
            Binary("-", "", (a, b) => $"({b}) - ({a})"), Binary("/", "", (a, b) => $"({b}) / ({a})"), Product("matmul"), Product("bmm")),
        Kind.Running("other operator",
            Binary("+", "", (a, b) => $"{a} - {b}"), Binary("-", "", (a, b) => $"{a} + {b}"),
            Binary("*", "", (a, b) => $"{a} / {b}"), Binary("/", "", (a, b) => $"{a} * {b}")),
        Kind.Running("dropped factor", Binary("*", "tensor number", (a, _) => $"{a}"), Binary("/", "tensor number", (a, _) => $"{a}")),
        Kind.Running("residual dropped",
            Binary("+", "tensor tensor", (_, b) => $"{b}"),
            site => site.Node is ExpressionStatementSyntax { Expression: AssignmentExpressionSyntax { OperatorToken.Text: "+=" } }
                ? new(site.Node, SyntaxFactory.ParseStatement(";"), Site.Words("+")) : null),
        Kind.Running("dropped operator", Dropped("relu tanh sigmoid exp sqrt rsqrt gelu silu softmax log_softmax masked_fill tril pow Sqrt"
            + " pad neg cumsum")),
        Kind.Running("missing transpose", Dropped("transpose permute contiguous t mT flip")),
        Kind.Running("added operator", site => site is { IsReturned: true, Node: ExpressionSyntax result } && site.IsTensor(result)
            && result.Parent!.Parent is MethodDeclarationSyntax or BlockSyntax
                ? new(result, $"functional.relu({result})", "relu") : null),
        Kind.Running("other activation", Activation("relu", "gelu"), Activation("gelu", "relu"), Activation("tanh", "sigmoid"),
            Activation("sigmoid", "tanh"), Activation("silu", "relu"), Activation("elu", "relu"), Activation("leaky_relu", "relu")),
        Kind.Running("mean for sum", Renamed("mean", "sum"), Renamed("sum", "mean")),
        Kind.Running("softmax for log_softmax", Renamed("softmax", "log_softmax"), Renamed("log_softmax", "softmax")),
        Kind.Running("max for min", Renamed("max", "min"), Renamed("amax", "amin"), Renamed("clamp_min", "clamp_max")),
        Kind.Running("triangle", Renamed("tril", "triu"), Renamed("triu", "tril")),
        Kind.Running("zeros for ones", Renamed("zeros", "ones"), Renamed("ones", "zeros"), Renamed("randn_like", "zeros_like")),
        Kind.Running("unbiased variance", site => site.Call is ("var" or "std", _, var call)
            && site.With("unbiased", site.Argument("unbiased")?.ToString() == "false" ? "true" : "false") is { } other
                ? new(call, other, "var|std", "unbiased|correction") : null),
        Kind.Running("mask inverted",
            site => site.Call is ("logical_not", { } mask, var call) ? new(call, mask, "logical_not|bitwise_not") : null,
            site => site.Call is ("masked_fill", _, { ArgumentList.Arguments: [{ Expression: var mask }, ..] })
                && !mask.ToString().Contains("logical_not") ? new(mask, $"{mask}.logical_not()", "logical_not|bitwise_not") : null,
            Compared("eq", "ne"), Compared("ne", "eq"), Compared("gt", "le"), Compared("lt", "ge")),
        Kind.Running("in-place", InPlace(Binary("+", "tensor", (a, b) => $"({a}).add_({b})")),
            InPlace(Binary("*", "tensor", (a, b) => $"({a}).mul_({b})")), InPlace(Activation("relu", "relu_")),
            InPlace(Activation("tanh", "tanh_")), InPlace(Activation("sigmoid", "sigmoid_"))),
    ];

    private static string Scaled(LiteralExpressionSyntax number)
    {
        var suffix = number.Token.Value is float ? "f" : "";
        return Convert.ToDouble(number.Token.Value) == 0 ? $"0.5{suffix}" : $"({number} * 1.5{suffix})";
    }

    /// <summary>A change of <c>a sign b</c>; <c>operands</c> are the types that the operands must have: <c>tensor number</c>.</summary>
    private static Func<Site, Change?> Binary(
        string sign, string operands, Func<ExpressionSyntax, ExpressionSyntax, string> changed, string? words = null) => site =>
        site.Binary is var (found, a, b) && found == sign && (operands == "" || site.IsTensor(a))
            && (operands.Split(' ') is not [_, var second] || site.IsTensor(b) == (second == "tensor"))
            ? new(site.Node, changed(a, b), words ?? Site.Words(sign)) : null;

    private static Func<Site, Change?> Product(string name) => site =>
        site.Node is InvocationExpressionSyntax
        {
            Expression: MemberAccessExpressionSyntax { Expression: var a } member, ArgumentList.Arguments: [{ Expression: var b }],
        } call && member.Name.Identifier.Text == name ? new(call, $"({b}).{name}({a})", "bmm|matmul") : null;

    private static Func<Site, Change?> Dropped(string names) => site =>
        site.Call is (var name, { } on, var call) && names.Split(' ').Contains(name)
            ? new(call, on, name == "Sqrt" ? site.Used : [Site.Words(name)]) : null;

    private static Func<Site, Change?> Activation(string name, string other) => site =>
        site.Call is (var found, { } on, var call) && found == name && site.IsLibrary
            ? new(call, other.EndsWith('_') ? $"({on}).{other}()" : $"functional.{other}({on})", name, other) : null;

    private static Func<Site, Change?> Renamed(string name, string other) => site =>
        site.Call is (var found, _, var call) && found == name && site.IsLibrary
            ? new(call, call.ReplaceToken(call.Expression.GetLastToken(), SyntaxFactory.Identifier(other)),
                $"{Site.Words(name)}|{Site.Words(other)}") : null;

    private static Func<Site, Change?> Compared(string name, string other) => site =>
        site.Call is (var found, _, { Expression: MemberAccessExpressionSyntax member } call) && found == name
            ? new(call, call.WithExpression(member.WithName(SyntaxFactory.IdentifierName(other))), $"{name}|{other}") : null;

    private static Func<Site, Change?> InPlace(Func<Site, Change?> rule) => site => rule(site) is { } change
        ? change with
        {
            Words = ["in place|in-place|relu_|add_|mul_|tanh_|sigmoid_"], Findings = ["operator", "in place", "between children"],
        } : null;
}
