using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Operators that are others, are missing, are too many, or have other arguments.</summary>
internal static class Operators
{
    /// <summary>The kinds.</summary>
    public static IEnumerable<Kind> Kinds { get; } =
    [
        new("changed constant", Constant),
        new("integer division", Integers),
        new("swapped operands", Operands),
        new("other operator", Arithmetic),
        new("dropped factor", Factor),
        new("residual dropped", Residual),
        new("dropped operator", Dropped),
        new("added operator", Added),
        new("other activation", Activation),
        new("mean for sum", (node, code) => Instead(node, code, ("mean", "sum"), ("sum", "mean"))),
        new("softmax for log_softmax", (node, code) => Instead(node, code, ("softmax", "log_softmax"), ("log_softmax", "softmax"))),
        new("max for min", (node, code) => Instead(node, code, ("max", "min"), ("amax", "amin"), ("clamp_min", "clamp_max"))),
        new("unbiased variance", Unbiased),
        new("mask inverted", Inverted),
        new("triangle", (node, code) => Instead(node, code, ("tril", "triu"), ("triu", "tril"))),
        new("in-place", InPlace),
        new("zeros for ones", (node, code) => Instead(node, code, ("zeros", "ones"), ("ones", "zeros"), ("randn_like", "zeros_like"))),
    ];

    private static readonly string[] s_dropped = ["relu", "tanh", "sigmoid", "exp", "sqrt", "rsqrt", "gelu", "silu", "softmax",
        "log_softmax", "masked_fill", "tril", "pow", "Sqrt", "pad", "neg", "cumsum"];
    private static readonly Dictionary<string, string> s_activations = new()
    {
        ["relu"] = "gelu", ["gelu"] = "relu", ["tanh"] = "sigmoid", ["sigmoid"] = "tanh", ["silu"] = "relu", ["elu"] = "relu",
            ["leaky_relu"] = "relu",
    };

    /// <summary>The operator of PyTorch's that C#'s stands for, as a diagnosis may call it.</summary>
    public static string[] Aten(SyntaxNode one) => one switch
    {
        BinaryExpressionSyntax binary => Of(binary.Kind()),
        AssignmentExpressionSyntax binary => Of(binary.Kind()),
        InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member } => [member.Name.Identifier.Text],
        InvocationExpressionSyntax { Expression: IdentifierNameSyntax name } => [name.Identifier.Text],
        PrefixUnaryExpressionSyntax => ["neg", "-"],
        _ => [],
    };

    private static string[] Of(SyntaxKind kind) => kind switch
    {
        SyntaxKind.AddExpression or SyntaxKind.AddAssignmentExpression => ["add", "+"],
        SyntaxKind.SubtractExpression or SyntaxKind.SubtractAssignmentExpression => ["sub", "rsub", "-"],
        SyntaxKind.MultiplyExpression or SyntaxKind.MultiplyAssignmentExpression => ["mul", "*"],
        SyntaxKind.DivideExpression => ["div", "reciprocal", "/"],
        _ => [],
    };

    /// <summary>The operators on tensors that a number's expression ends in: the nearest above it.</summary>
    public static string[] Used(SyntaxNode number, Code code)
    {
        for (var at = number.Parent; at is not null and not StatementSyntax; at = at.Parent)
        {
            if (at is ExpressionSyntax outer and (BinaryExpressionSyntax or InvocationExpressionSyntax) && code.IsTensor(outer))
            {
                return Aten(outer);
            }
        }

        return [];
    }

    private static IEnumerable<Change> Constant(SyntaxNode node, Code code)
    {
        if (node is LiteralExpressionSyntax { Token.Value: double or float } literal && Code.Runs(node))
        {
            var value = Convert.ToDouble(literal.Token.Value, CultureInfo.InvariantCulture);
            var text = (value == 0 ? 0.5 : value * 1.5).ToString("R", CultureInfo.InvariantCulture)
                + (literal.Token.Value is float ? "f" : "");
            yield return new(literal, Code.Parse(text.Contains('.') || text.EndsWith('f') ? text : text + ".0"), Tensor(literal, code));
        }
    }

    private static IEnumerable<Change> Integers(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node))
        {
            yield break;
        }

        if (node is LiteralExpressionSyntax { Token.Value: 0.5 or 0.5f } half)
        {
            yield return new(half, Code.Parse("(1 / 2)"), Tensor(half, code));
        }
        else if (node is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.DivideExpression, Left: LiteralExpressionSyntax } ratio
            && !code.IsTensor(ratio))
        {
            yield return new(ratio, Code.Parse($"((int)({Code.Text(ratio.Left)}) / (int)({Code.Text(ratio.Right)}))"), Tensor(ratio, code));
        }
        else if (node is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.DivideExpression } quotient && code.IsTensor(quotient))
        {
            yield return new(quotient, Code.Parse($"({Code.Text(quotient.Left)}).floor_divide({Code.Text(quotient.Right)})"),
                Cause.Operator(["div", "floor", "/"]));
        }
    }

    private static Cause Tensor(SyntaxNode number, Code code) =>
        Used(number, code) is { Length: > 0 } used ? Cause.Operator(used) : Cause.Operator();

    private static IEnumerable<Change> Operands(SyntaxNode node, Code code)
    {
        if (node is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.SubtractExpression or (int)SyntaxKind.DivideExpression } binary
            && code.IsTensor(binary) && Code.Runs(node))
        {
            yield return new(binary, Code.Parse($"({Code.Text(binary.Right)}) {binary.OperatorToken.Text} ({Code.Text(binary.Left)})"),
                Cause.Operator(Aten(binary)));
        }
        else if (node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "matmul"
            or "bmm" } member, ArgumentList.Arguments: [var only] } && Code.Runs(node))
        {
            var text = $"({Code.Text(only)}).{member.Name}({Code.Text(member.Expression)})";
            yield return new(node, Code.Parse(text), new(["operator", "raised"], [member.Name.Identifier.Text, "bmm", "matmul"]));
        }
    }

    private static IEnumerable<Change> Arithmetic(SyntaxNode node, Code code)
    {
        if (node is not BinaryExpressionSyntax binary || !code.IsTensor(binary) || !Code.Runs(node))
        {
            yield break;
        }

        var other = binary.OperatorToken.Text switch { "+" => "-", "-" => "+", "*" => "/", "/" => "*", _ => null };
        if (other is not null)
        {
            yield return new(binary, Code.Parse($"{Code.Text(binary.Left)} {other} {Code.Text(binary.Right)}"),
                Cause.Operator(Aten(binary)));
        }
    }

    private static IEnumerable<Change> Factor(SyntaxNode node, Code code)
    {
        if (node is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.MultiplyExpression or (int)SyntaxKind.DivideExpression } binary
            && code.IsTensor(binary) && code.IsTensor(binary.Left) && !code.IsTensor(binary.Right) && Code.Runs(node))
        {
            yield return new(binary, binary.Left, Cause.Operator(Aten(binary)));
        }
    }

    private static IEnumerable<Change> Residual(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node))
        {
            yield break;
        }

        if (node is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.AddExpression } sum && code.IsTensor(sum.Left)
            && code.IsTensor(sum.Right))
        {
            yield return new(sum, sum.Right, Cause.Operator(Aten(sum)));
        }
        else if (node is ExpressionStatementSyntax { Expression: AssignmentExpressionSyntax { RawKind: (
            int)SyntaxKind.AddAssignmentExpression } added })
        {
            yield return new(node, SyntaxFactory.ParseStatement(";"), Cause.Operator(Aten(added)));
        }
    }

    private static IEnumerable<Change> Dropped(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Aten(node) is [var name] && s_dropped.Contains(name)
            && On(call, code) is { } on)
        {
            yield return new(call, on, name == "Sqrt" ? Tensor(call, code) : Cause.Operator([name, .. Synonyms(name)]));
        }
    }

    /// <summary>What a diagnosis may call an operator besides.</summary>
    private static string[] Synonyms(string name) => name switch
    {
        "pad" => ["constant_pad_nd", "pads"],
        "softmax" or "log_softmax" => ["_" + name],
        "max" or "min" => ["a" + name],
        _ => [],
    };

    /// <summary>What an operator is applied to: before the dot, or its first argument.</summary>
    public static ExpressionSyntax? On(InvocationExpressionSyntax call, Code code)
    {
        if (call.Expression is MemberAccessExpressionSyntax member && code.IsTensor(member.Expression))
        {
            return member.Expression;
        }

        return call.ArgumentList.Arguments is [var first, ..] && (code.IsTensor(first.Expression) || code.IsNumber(first.Expression))
            ? first.Expression : null;
    }

    private static IEnumerable<Change> Added(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is ExpressionSyntax result && node.Parent is ReturnStatementSyntax or ArrowExpressionClauseSyntax
            && code.IsTensor(result)
            && node.Parent.Parent is MethodDeclarationSyntax or BlockSyntax)
        {
            yield return new(result, Code.Parse($"functional.relu({Code.Text(result)})"), Cause.Operator(["relu"]));
        }
    }

    private static IEnumerable<Change> Activation(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && code.Library(node) is (_, var call) && Aten(node) is [var name]
            && s_activations.TryGetValue(name, out var other) && On(call, code) is { } on)
        {
            yield return new(call, Code.Parse($"functional.{other}({Code.Text(on)})"), Cause.Operator([name], [other]));
        }
    }

    /// <summary>A call of one operator is a call of another with the same arguments.</summary>
    private static IEnumerable<Change> Instead(SyntaxNode node, Code code, params (string From, string To)[] names)
    {
        if (!Code.Runs(node) || code.Library(node) is not (_, var call))
        {
            yield break;
        }

        foreach (var (from, to) in names)
        {
            if (Aten(call) is [var name] && name == from)
            {
                var token = call.Expression is MemberAccessExpressionSyntax member
                    ? member.Name.Identifier : ((IdentifierNameSyntax)call.Expression).Identifier;
                var other = call.ReplaceToken(token, SyntaxFactory.Identifier(to));
                yield return new(call, other, Cause.Operator([from, to, .. Synonyms(from), .. Synonyms(to)]));
            }
        }
    }

    private static IEnumerable<Change> Unbiased(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Aten(node) is ["var" or "std"]
            && code.With(call, code.Argument(call, "unbiased")?.Expression.ToString() == "false"
                ? "true" : "false", "unbiased") is { } other)
        {
            yield return new(call, other, Cause.Operator(["var", "std"], ["unbiased", "correction"]));
        }
    }

    private static IEnumerable<Change> Inverted(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node) || node is not InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member } call)
        {
            yield break;
        }

        if (member.Name.Identifier.Text is "logical_not" && code.IsTensor(member.Expression))
        {
            yield return new(call, member.Expression, Cause.Operator(["logical_not", "bitwise_not"]));
        }
        else if (member.Name.Identifier.Text is "masked_fill" && call.ArgumentList.Arguments is [var mask, ..]
            && !mask.ToString().Contains("logical_not"))
        {
            yield return new(mask.Expression, Code.Parse($"{Code.Text(mask.Expression)}.logical_not()"),
                Cause.Operator(["logical_not", "bitwise_not"]));
        }
        else if (member.Name.Identifier.Text is "eq" or "ne" or "gt" or "lt")
        {
            var other = member.Name.Identifier.Text switch { "eq" => "ne", "ne" => "eq", "gt" => "le", _ => "ge" };
            yield return new(call, call.WithExpression(member.WithName(SyntaxFactory.IdentifierName(other))),
                Cause.Operator([member.Name.Identifier.Text, other]));
        }
    }

    private static IEnumerable<Change> InPlace(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node))
        {
            yield break;
        }

        var words = new Cause(["operator", "in place", "between children"],
            ["in place", "in-place", "relu_", "add_", "mul_", "tanh_", "sigmoid_"]);
        if (node is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.AddExpression or (int)SyntaxKind.MultiplyExpression } binary
            && code.IsTensor(binary.Left))
        {
            var name = binary.IsKind(SyntaxKind.AddExpression) ? "add_" : "mul_";
            yield return new(binary, Code.Parse($"({Code.Text(binary.Left)}).{name}({Code.Text(binary.Right)})"), words);
        }
        else if (node is InvocationExpressionSyntax call && Aten(node) is ["relu" or "tanh" or "sigmoid"] && On(call, code) is { } on)
        {
            yield return new(call, Code.Parse($"({Code.Text(on)}).{Aten(node)[0]}_()"), words);
        }
    }
}
