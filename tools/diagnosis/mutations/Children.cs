using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Children that are called otherwise than the original calls them, or not at all.</summary>
internal static class Children
{
    private static readonly string[] s_calls = ["bypass", "calls", "missing", "unseen", "names"];

    public static IEnumerable<Kind> Kinds { get; } =
    [
        Kind.By("call to forward", site => site.Child is (var path, _, var child, var arguments)
            ? new(site.Node, $"{child}.forward{arguments}", "forward") { Findings = ["bypass"], Children = [path], Owner = false } : null),
        Kind.By("child left out", site => site.Layer is (var path, _, _, var argument)
            ? Called(site.Node, argument, [path], "missing|not in dotnet|never called|left out|once in dotnet") : null),
        Kind.By("child run twice", site => site.Layer is (var path,
            "Dropout" or "LayerNorm" or "BatchNorm2d" or "PReLU" or "GELU" or "Conv2d", var child, _)
            ? Called(site.Node, Site.Parse($"{child}.call({site.Node})"), [path], "twice|more often|once more|2 times|extra|again") : null),
        new("children swapped", Swapped),
        Kind.By("shared layer", site => site.Child is (var path, var type, IdentifierNameSyntax name, _)
            && site.Fields(type).FirstOrDefault(field => field != path) is { } other
            ? Called(site.Node, site.Node.ReplaceNode(name, Site.Parse(other)), [path, other], path, other) : null),
        Kind.By("function for a module", site => site.Layer is (var path, ("ReLU" or "GELU" or "Sigmoid" or "Tanh" or "Dropout" or "SiLU"
            or "Softmax") and var type, _, var x)
            ? Called(site.Node, Site.Parse(
                $"functional.{type.ToLowerInvariant()}({x}{(type == "Dropout" ? $", {path}.p, training" : "")})"),
                [path], "not in dotnet|never called|missing|once in dotnet|by itself") : null),
        Kind.By("order in a Sequential", InSequential),
        new("weight not loaded", Renamed),
        Kind.Running("reversed loop",
            site => site.Node is ForEachStatementSyntax { Expression: var list } ? Loop(list, Site.Parse($"{list}.Reverse()"), "*") : null,
            site => site.Node is ForStatementSyntax
            {
                Condition: BinaryExpressionSyntax { Right: var end }, Declaration.Variables: [{ Identifier.Text: var name }],
            } loop ? Loop(loop, loop.ReplaceNodes(
                loop.Statement.DescendantNodes().OfType<IdentifierNameSyntax>().Where(used => used.Identifier.Text == name),
                (used, _) => Site.Parse($"({end} - 1 - {name})").WithTriviaFrom(used)), "*", "*.*") : null),
        Kind.Running("shortened loop", site => site.Node is ForStatementSyntax { Condition: BinaryExpressionSyntax { Right: var end } }
            ? Loop(end, Site.Parse($"{end} - 1"), "*", "*.*") : null),
    ];

    private static Change Called(SyntaxNode old, SyntaxNode changed, string[] children, params string[] words) =>
        new(old, changed, words) { Findings = s_calls, Children = children };

    private static Change Loop(SyntaxNode old, SyntaxNode changed, params string[] children) =>
        new(old, changed) { Findings = [.. s_calls, "operator", "raised"], Children = children };

    /// <summary>Exchanges the children of two calls of a method, one after the other.</summary>
    private static IEnumerable<Change> Swapped(Site site)
    {
        if (site is not { Runs: true, Node: MethodDeclarationSyntax method })
        {
            return [];
        }

        var children = method.DescendantNodes().OfType<InvocationExpressionSyntax>().OrderBy(call => call.Span.End)
            .Select(call => (site with { Node = call }).Child?.Child).OfType<IdentifierNameSyntax>().ToArray();
        return from pair in children.Zip(children.Skip(1))
               let a = pair.First.Identifier.Text
               let b = pair.Second.Identifier.Text
               where a != b
               select Called(method, Site.Exchange(method, pair.First, pair.Second), [a, b], a, b);
    }

    /// <summary>
    /// Exchanges a module of a Sequential and the one before it. Unless they have names, their positions are their paths, so these differ.
    /// </summary>
    private static Change? InSequential(Site site)
    {
        if (site.Node is not ArgumentSyntax { Parent: ArgumentListSyntax { Parent: InvocationExpressionSyntax call } list } second
            || site with { Node = call } is not { Factory: ("Sequential", var path, _) }
            || list.Arguments.IndexOf(second) is var index && index == 0)
        {
            return null;
        }

        var first = list.Arguments[index - 1];
        string[][] names = [Names(first, index - 1), Names(second, index)];
        return new(call, Site.Exchange(call, first, second), [.. names.Select(each => string.Join('|', each))])
        {
            Findings = [.. s_calls, "setting", "latent"],
            Children = [path, .. names.Select(each => $"{path}.{each[0]}"), .. names.Select(each => $"{path}.{each[0]}.*")],
            Owner = false,
        };
    }

    private static string[] Names(ArgumentSyntax argument, int index) => argument.Expression switch
    {
        TupleExpressionSyntax { Arguments: [{ Expression: LiteralExpressionSyntax name }, ..] } => [name.Token.ValueText],
        InvocationExpressionSyntax call => [$"{index}", call.Expression.ToString()],
        ObjectCreationExpressionSyntax create => [$"{index}", create.Type.ToString()],
        _ => [$"{index}"],
    };

    /// <summary>Renames a field, so that no weight in the file has its name.</summary>
    private static IEnumerable<Change> Renamed(Site site) =>
        site.Node is not ClassDeclarationSyntax owner ? []
            : from field in site.Fields("Linear Conv2d Embedding BatchNorm2d LayerNorm LSTM GRU GRUCell ConvTranspose2d Sequential").Take(3)
              let tokens = owner.DescendantTokens().Where(token => token.IsKind(SyntaxKind.IdentifierToken) && token.Text == field
                  && token.Parent is not ParameterSyntax
                  && !(token.Parent?.Parent is MemberAccessExpressionSyntax { Expression: not ThisExpressionSyntax } member
                      && member.Name == token.Parent))
              let changed = owner.ReplaceTokens(tokens, (token, _) =>
                  SyntaxFactory.Identifier(token.LeadingTrivia, field + "_", token.TrailingTrivia))
              select new Change(owner, changed, field, field + "_")
              {
                  Findings = ["names", "setting", "latent", "missing"], Children = [field, field + ".*", field + "_", field + "_.*"],
              };
}
