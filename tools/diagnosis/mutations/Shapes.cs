using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Dimensions, orders, slices and types that differ from the original's.</summary>
internal static class Shapes
{
    private static readonly string[] s_results = ["structure", "operator", "between children"];

    public static IEnumerable<Kind> Kinds { get; } =
    [
        Kind.Running("other dim", Dim),
        Kind.Running("order of a permute", Exchanged("permute", "permute", call => [.. call.Skip(1).TakeLast(2)])),
        Kind.Running("order of a view", Exchanged("view reshape", "view|reshape", call => [.. call.Skip(1).Take(2)])),
        Kind.Running("order of a cat", Exchanged("cat stack concat hstack", "cat|stack|concat|hstack", call =>
            Site.Elements(call[0].Expression) is [var first, .., var last] ? [first, last] : [])),
        Kind.Running("sizes of a padding", Exchanged("pad", Site.Words("pad"), call => call.Length < 2 ? []
            : [.. Site.Elements(call[1].Expression).Take(2)])),
        Kind.Running("field order",
            site => site is { IsReturned: true, Node: TupleExpressionSyntax { Arguments: [var a, var b, ..] } tuple }
                ? new(tuple, Site.Exchange(tuple, a, b)) { Findings = s_results } : null,
            site => site.Node is ParenthesizedVariableDesignationSyntax { Variables: [SingleVariableDesignationSyntax a,
                SingleVariableDesignationSyntax b, ..] } names
                ? new(names, Site.Exchange(names, a, b)) { Findings = s_results, Children = ["*"] } : null),
        Kind.Running("off-by-one slice", site => site.Node is ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax call } bound
            && (call.Expression.ToString().EndsWith("TensorIndex.Slice") || (site with { Node = call }).Call is ("narrow" or "slice", _, _))
            && bound.Expression.ToString() != "null"
                ? new(bound.Expression, $"{bound.Expression} {(IsStop(bound, call) ? "-" : "+")} 1", "slice|narrow|select|index") : null),
        Kind.Running("off-by-one position", Range, Triangle),
        Kind.Running("other index",
            site => site.Node is ElementAccessExpressionSyntax { ArgumentList.Arguments: [{ Expression: var at }] } element
                && Site.Integer(at) is { } index && (site.IsTensor(element) || site.IsTensor(element.Expression))
                ? new(at, Neighbour(index)) { Findings = ["operator", "between children", "raised"], Children = ["*"] } : null,
            site => site.Call is ("select", _, _) && site.Argument("index") is { } at
                ? new(at, $"(({at} + 1) % 2)", "select") : null),
        Kind.Running("keepdim", site => site.IsLibrary && site.Call is (var name, _, _)
            && site.Argument("keepdim") is LiteralExpressionSyntax given
                ? new(given, $"{given}" == "true" ? "false" : "true", name, "keepdim|shape|[") : null),
        Kind.Running("wrong broadcast", site =>
            site.Call is ("unsqueeze", _, { ArgumentList.Arguments: [{ Expression: var at }] }) && Site.Integer(at) is { } dim
                ? new(at, Neighbour(dim), "unsqueeze") : null),
        Kind.Running("dtype",
            site => site.IsLibrary && site.Argument("dtype") is { } type && OtherType(type) is { } other
                ? new(type, other, "dtype|float64|int32") : null,
            // The tensor has its own type again, and has lost precision.
            site => site.Child is not null && site.IsTensor(site.Node) && site.Node.Parent is EqualsValueClauseSyntax
                or ReturnStatementSyntax or AssignmentExpressionSyntax
                ? new(site.Node, $"{site.Node}.to_type(ScalarType.Float16).to_type(ScalarType.Float32)", "to|_to_copy|float16|to_type")
                {
                    Findings = ["operator"],
                } : null),
    ];

    private static Change? Dim(Site site)
    {
        if (!site.IsLibrary || site.Call is not (var name and not ("unsqueeze" or "transpose"), _, { ArgumentList.Arguments: var list }))
        {
            return null;
        }

        if (site.Argument("dim dim1 dim0 start_dim end_dim dimensions dims") is { } given && Site.Integer(given) is { } dim)
        {
            var other = dim switch { -1 or 0 or 2 => "1", 1 => "0", _ => "-1" };
            return new(given, other, $"{name}|_{name}{(name == "flatten" ? "|view" : "")}", "dim|start_dim|dims|size");
        }

        return list is [{ Expression: ArrayCreationExpressionSyntax dims }, ..] && Site.Elements(dims) is [var only]
            && Site.Integer(only) is { } value ? new(only, value == 0 ? "1" : "0", name, "dim") : null;
    }

    /// <summary>Exchanges the two nodes that <paramref name="pair"/> picks from the arguments of a call.</summary>
    private static Func<Site, Change?> Exchanged(string names, string words, Func<ArgumentSyntax[], SyntaxNode[]> pair) => site =>
        site.Call is (var name, _, { ArgumentList.Arguments: { Count: > 0 } list } call) && names.Split(' ').Contains(name)
            && pair([.. list]) is [var a, var b] ? new(call, Site.Exchange(call, a, b), words) : null;

    private static bool IsStop(ArgumentSyntax bound, InvocationExpressionSyntax call) =>
        bound.NameColon?.Name.Identifier.Text == "stop" || bound == call.ArgumentList.Arguments[^1];

    private static Change? Range(Site site)
    {
        if (site.Call is not ("arange", _, { ArgumentList.Arguments: [{ Expression: var first }, ..] list } call))
        {
            return null;
        }

        var stop = list is [_, { NameColon: null } second, ..] && site.IsNumber(second.Expression) ? second.Expression : null;
        return new(call, stop is null
            ? call.ReplaceNode(first, Site.Parse($"1, {first} + 1"))
            : call.ReplaceNodes([first, stop], (bound, _) => Site.Parse($"({bound} + 1)")), "arange");
    }

    private static Change? Triangle(Site site)
    {
        if (site.Call is not (("tril" or "triu") and var name, not null, var call))
        {
            return null;
        }

        return site.Argument("diagonal") is { } diagonal ? new(diagonal, $"{diagonal} - 1", name)
            : site.With("diagonal", "1") is { } other ? new(call, other, name) : null;
    }

    private static string Neighbour(long index) => index switch { 0 => "1", -1 => "0", _ => $"{index - 1}" };

    private static string? OtherType(ExpressionSyntax type) => type.ToString() switch
    {
        var text when text.EndsWith("Int64") => "ScalarType.Int32",
        var text when text.EndsWith("loat32") => "ScalarType.Float64",
        _ => null,
    };
}
