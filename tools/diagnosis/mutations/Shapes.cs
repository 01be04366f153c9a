using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Dimensions, orders, slices and types that are others than the original's.</summary>
internal static class Shapes
{
    /// <summary>The kinds.</summary>
    public static IEnumerable<Kind> Kinds { get; } =
    [
        new("other dim", Dim),
        new("missing transpose", Missing),
        new("order of a permute", Permuted),
        new("order of a view", Viewed),
        new("order of a cat", Joined),
        new("field order", Fields),
        new("off-by-one slice", Sliced),
        new("off-by-one position", Positions),
        new("other index", Indexed),
        new("keepdim", Keepdim),
        new("wrong broadcast", Broadcast),
        new("dtype", Typed),
        new("sizes of a padding", Padded),
    ];

    private static readonly string[] s_dims = ["dim", "dim1", "dim0", "start_dim", "end_dim", "dimensions", "dims"];

    private static IEnumerable<Change> Dim(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node) || code.Library(node) is not (_, var call) || code.Called(node) is not null
            || Operators.Aten(call) is not [var name] || name is "unsqueeze" or "transpose")
        {
            yield break;
        }

        if (code.Argument(call, s_dims) is { } given && Number(given.Expression) is { } dim)
        {
            var other = dim switch { -1 => "1", 0 => "1", 1 => "0", 2 => "1", _ => "-1" };
            yield return new(given.Expression, Code.Parse(other),
                Cause.Operator([name, "_" + name, .. name == "flatten" ? new[] { "view" } : []], ["dim", "start_dim", "dims", "size"]));
        }
        else if (call.ArgumentList.Arguments is [{ Expression: ArrayCreationExpressionSyntax { Initializer.Expressions: [var first] } }, ..]
            && Number(first) is { } one)
        {
            yield return new(first, Code.Parse(one == 0 ? "1" : "0"), Cause.Operator([name], ["dim"]));
        }
    }

    private static long? Number(ExpressionSyntax one) => one switch
    {
        LiteralExpressionSyntax { Token.Value: int value } => value,
        LiteralExpressionSyntax { Token.Value: long value } => value,
        PrefixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.UnaryMinusExpression,
            Operand: LiteralExpressionSyntax { Token.Value: int value } } => -value,
        _ => null,
    };

    private static IEnumerable<Change> Missing(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call
            && Operators.Aten(call) is ["transpose" or "permute" or "contiguous" or "t" or "mT" or "flip"]
            && Operators.On(call, code) is { } on)
        {
            yield return new(call, on, Cause.Operator([Operators.Aten(call)[0]]));
        }
    }

    private static IEnumerable<Change> Permuted(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Operators.Aten(call) is ["permute"]
            && call.ArgumentList.Arguments is { Count: > 2 } list)
        {
            yield return new(call, Exchanged(call, list[^2], list[^1]), Cause.Operator(["permute"]));
        }
    }

    private static IEnumerable<Change> Viewed(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Operators.Aten(call) is ["view" or "reshape"]
            && call.ArgumentList.Arguments is { Count: > 2 } list)
        {
            yield return new(call, Exchanged(call, list[1], list[2]), Cause.Operator(["view", "reshape"]));
        }
    }

    private static SyntaxNode Exchanged(SyntaxNode inside, ArgumentSyntax a, ArgumentSyntax b) =>
        inside.ReplaceNodes([a, b], (one, _) => (one == a ? b : a).WithTriviaFrom(one));

    private static IEnumerable<Change> Joined(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Operators.Aten(call) is ["cat" or "stack" or "concat" or "hstack"]
            && call.ArgumentList.Arguments is [var first, ..] && first.Expression is ImplicitArrayCreationExpressionSyntax
                or CollectionExpressionSyntax or ArrayCreationExpressionSyntax)
        {
            var items = first.Expression.ChildNodes().SelectMany(one => one is InitializerExpressionSyntax ? one.ChildNodes() : [one])
                .Where(one => one is ExpressionSyntax or CollectionElementSyntax).ToArray();
            if (items.Length > 1)
            {
                var (a, b) = (items[0], items[^1]);
                yield return new(call, call.ReplaceNodes([a, b], (one, _) => (one == a ? b : a).WithTriviaFrom(one)),
                    Cause.Operator([Operators.Aten(call)[0]]));
            }
        }
    }

    /// <summary>Two results, or two things taken from a result, change places.</summary>
    private static IEnumerable<Change> Fields(SyntaxNode node, Code code)
    {
        var results = new Cause(["structure", "operator", "between children"]);
        if (Code.Runs(node) && node is TupleExpressionSyntax { Arguments: [var a, var b, ..], Parent: ReturnStatementSyntax
            or ArrowExpressionClauseSyntax } tuple)
        {
            yield return new(tuple, Exchanged(tuple, a, b), results);
        }
        else if (Code.Runs(node) && node is ParenthesizedVariableDesignationSyntax { Variables: [SingleVariableDesignationSyntax x,
            SingleVariableDesignationSyntax y, ..] } names)
        {
            yield return new(names, names.ReplaceNodes([x, y], (one, _) => one == x ? y.WithTriviaFrom(x) : x.WithTriviaFrom(y)),
                results) { Children = ["*"] };
        }
    }

    private static IEnumerable<Change> Sliced(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node) || node is not InvocationExpressionSyntax call)
        {
            yield break;
        }

        if (call.Expression.ToString().EndsWith("TensorIndex.Slice") || Operators.Aten(call) is ["narrow" or "slice"])
        {
            foreach (var argument in call.ArgumentList.Arguments.Where(one =>
                one.Expression is not LiteralExpressionSyntax { RawKind: (int)SyntaxKind.NullLiteralExpression }))
            {
                var sign = argument.NameColon?.Name.Identifier.Text is "stop" || argument == call.ArgumentList.Arguments[^1] ? "-" : "+";
                var changed = Code.Parse($"{Code.Text(argument.Expression)} {sign} 1");
                yield return new(argument.Expression, changed, new(["operator", "raised"], ["slice", "narrow", "select", "index"]));
            }
        }
    }

    private static IEnumerable<Change> Positions(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Operators.Aten(call) is ["arange"]
            && call.ArgumentList.Arguments is [var first, ..])
        {
            var second = call.ArgumentList.Arguments is [_, { NameColon: null } stop, ..] && code.IsNumber(stop.Expression) ? stop : null;
            var changed = second is null
                ? call.ReplaceNode(first.Expression, Code.Parse($"1, {Code.Text(first.Expression)} + 1"))
                : call.ReplaceNodes([first.Expression, second.Expression], (one, _) => Code.Parse($"({Code.Text(one)} + 1)"));
            yield return new(call, changed, new(["operator", "raised"], ["arange"]));
        }
        else if (Code.Runs(node) && node is InvocationExpressionSyntax lower && Operators.Aten(lower) is ["tril" or "triu"]
            && Operators.On(lower, code) is { })
        {
            if (code.Argument(lower, "diagonal") is { } diagonal)
            {
                yield return new(diagonal.Expression, Code.Parse($"{Code.Text(diagonal.Expression)} - 1"),
                    Cause.Operator([Operators.Aten(lower)[0]]));
            }
            else if (code.With(lower, "1", "diagonal") is { } other)
            {
                yield return new(lower, other, Cause.Operator([Operators.Aten(lower)[0]]));
            }
        }
    }

    private static IEnumerable<Change> Indexed(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node))
        {
            yield break;
        }

        if (node is ElementAccessExpressionSyntax { ArgumentList.Arguments: [var only] } element && Number(only.Expression) is { } index
            && (code.IsTensor(element) || code.IsTensor(element.Expression)))
        {
            var other = index == 0 ? "1" : index == -1 ? "0" : $"{index - 1}";
            yield return new(only.Expression, Code.Parse(other), new(["operator", "between children", "raised"])) { Children = ["*"] };
        }
        else if (node is InvocationExpressionSyntax call && Operators.Aten(call) is ["select"] && code.Argument(call, "index") is { } at)
        {
            yield return new(at.Expression, Code.Parse($"(({Code.Text(at.Expression)} + 1) % 2)"), Cause.Operator(["select"]));
        }
    }

    private static IEnumerable<Change> Keepdim(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && code.Library(node) is (_, var call)
            && code.Argument(call, "keepdim") is { Expression: LiteralExpressionSyntax given })
        {
            var other = given.IsKind(SyntaxKind.TrueLiteralExpression) ? "false" : "true";
            yield return new(given, Code.Parse(other), new(["operator", "raised"], Operators.Aten(call), ["keepdim", "shape", "["]));
        }
    }

    private static IEnumerable<Change> Broadcast(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Operators.Aten(call) is ["unsqueeze"]
            && call.ArgumentList.Arguments is [var only] && Number(only.Expression) is { } dim)
        {
            yield return new(only.Expression, Code.Parse(dim == 0 ? "1" : dim == -1 ? "0" : $"{dim - 1}"),
                new(["operator", "raised"], ["unsqueeze"]));
        }
    }

    private static IEnumerable<Change> Typed(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node))
        {
            yield break;
        }

        if (code.Library(node) is (_, var call) && code.Argument(call, "dtype") is { Expression: var type } && type.ToString() is var text
            && (text.EndsWith("float32") || text.EndsWith("Float32") || text.EndsWith("Int64")))
        {
            var other = text.EndsWith("Int64") ? "ScalarType.Int32" : "ScalarType.Float64";
            yield return new(type, Code.Parse(other), new(["operator", "raised"], ["dtype", "float64", "int32"]));
        }
        else if (code.Called(node) is not null && code.IsTensor((ExpressionSyntax)node) && node.Parent is EqualsValueClauseSyntax
            or ReturnStatementSyntax or AssignmentExpressionSyntax)
        {
            // The precision is lost, and the type put back: what half does to what comes after.
            yield return new(node, Code.Parse($"{Code.Text(node)}.to_type(ScalarType.Float16).to_type(ScalarType.Float32)"),
                new(["operator"], ["to", "_to_copy", "float16", "to_type"]));
        }
    }

    private static IEnumerable<Change> Padded(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is InvocationExpressionSyntax call && Operators.Aten(call) is ["pad"]
            && call.ArgumentList.Arguments is [_, { Expression: ArrayCreationExpressionSyntax { Initializer.Expressions: [var a, var b,
                ..] } }, ..])
        {
            var changed = call.ReplaceNodes([a, b], (one, _) => (one == a ? b : a).WithTriviaFrom(one));
            yield return new(call, changed, Cause.Operator(["pad", "pads", "constant_pad_nd"]));
        }
    }
}
