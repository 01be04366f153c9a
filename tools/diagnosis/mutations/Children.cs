using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Children that are run otherwise than the original runs them, or not at all.</summary>
internal static class Children
{
    /// <summary>The kinds.</summary>
    public static IEnumerable<Kind> Kinds { get; } =
    [
        new("call to forward", Bypassed),
        new("child left out", LeftOut),
        new("child run twice", Twice),
        new("children swapped", Swapped),
        new("shared layer", Shared),
        new("function for a module", AsFunction),
        new("order in a Sequential", InSequential),
        new("weight not loaded", Renamed),
        new("reversed loop", Reversed),
        new("shortened loop", Shortened),
    ];

    private static readonly string[] s_seen = ["bypass", "calls", "missing", "unseen", "names"];

    private static IEnumerable<Change> Bypassed(SyntaxNode node, Code code)
    {
        if (code.Called(node) is { } child && node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member } call)
        {
            var other = call.WithExpression(member.WithName(SyntaxFactory.IdentifierName("forward")));
            yield return new(call, other, new(["bypass"], ["forward"])) { Children = [child], Owner = false };
        }
    }

    private static IEnumerable<Change> LeftOut(SyntaxNode node, Code code)
    {
        if (code.Called(node) is { } child && node is InvocationExpressionSyntax { ArgumentList.Arguments: [var only] } call
            && code.IsTensor(call) && code.IsTensor(only.Expression))
        {
            yield return new(call, only.Expression,
                new(s_seen, ["missing", "not in dotnet", "never called", "left out", "once in dotnet"])) { Children = [child] };
        }
    }

    private static IEnumerable<Change> Twice(SyntaxNode node, Code code)
    {
        if (code.Called(node) is { } child && node is InvocationExpressionSyntax { ArgumentList.Arguments: [var only],
            Expression: MemberAccessExpressionSyntax member } call && code.IsTensor(call)
            && code.IsTensor(only.Expression) && code.Model.GetTypeInfo(member.Expression).Type?.Name is "Dropout" or "LayerNorm"
                or "BatchNorm2d" or "PReLU" or "GELU" or "Conv2d")
        {
            yield return new(call, Code.Parse($"{Code.Text(member)}({Code.Text(call)})"),
                new(s_seen, ["twice", "more often", "once more", "2 times", "extra", "again"])) { Children = [child] };
        }
    }

    /// <summary>Two children of one method change places; both have to be of such types that it compiles.</summary>
    private static IEnumerable<Change> Swapped(SyntaxNode node, Code code)
    {
        if (node is not MethodDeclarationSyntax method || !Code.Runs(node))
        {
            yield break;
        }

        var calls = method.DescendantNodes().OfType<InvocationExpressionSyntax>()
            .Where(one => code.Called(one) is not null
                && one.Expression is MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax })
            .OrderBy(one => one.Span.End).ToArray();
        for (var index = 1; index < calls.Length; index++)
        {
            var (a, b) = (Receiver(calls[index - 1]), Receiver(calls[index]));
            if (a.Identifier.Text == b.Identifier.Text)
            {
                continue;
            }

            var other = method.ReplaceNodes([a, b], (one, _) => (one == a ? b : a).WithTriviaFrom(one));
            yield return new(method, other, new(s_seen, [a.Identifier.Text], [b.Identifier.Text]))
            {
                Children = [a.Identifier.Text, b.Identifier.Text],
            };
        }
    }

    private static IdentifierNameSyntax Receiver(InvocationExpressionSyntax call) =>
        (IdentifierNameSyntax)((MemberAccessExpressionSyntax)call.Expression).Expression;

    /// <summary>A child is run where another one of its class should.</summary>
    private static IEnumerable<Change> Shared(SyntaxNode node, Code code)
    {
        if (code.Called(node) is { } child
            && node is InvocationExpressionSyntax
            {
                Expression: MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax name }
            } call
            && code.Model.GetTypeInfo(name).Type is { } type && node.FirstAncestorOrSelf<ClassDeclarationSyntax>() is { } owner)
        {
            foreach (var other in Settings.Fields(owner, type.Name).Where(other => other != child).Take(1))
            {
                var changed = call.ReplaceNode(name, SyntaxFactory.IdentifierName(other));
                yield return new(call, changed, new(s_seen, [child], [other])) { Children = [child, other] };
            }
        }
    }

    private static IEnumerable<Change> AsFunction(SyntaxNode node, Code code)
    {
        if (code.Called(node) is { } child && node is InvocationExpressionSyntax { ArgumentList.Arguments: [var only],
            Expression: MemberAccessExpressionSyntax member } call
            && code.Model.GetTypeInfo(member.Expression).Type?.Name is "ReLU" or "GELU" or "Sigmoid" or "Tanh" or "Dropout" or "SiLU"
                or "Softmax" && code.IsTensor(call))
        {
            var name = code.Model.GetTypeInfo(member.Expression).Type!.Name.ToLowerInvariant();
            var text = name == "dropout" ? $"functional.dropout({Code.Text(only)}, {child}.p, training)"
                : $"functional.{name}({Code.Text(only)})";
            yield return new(call, Code.Parse(text),
                new(s_seen, ["not in dotnet", "never called", "missing", "once in dotnet", "by itself"])) { Children = [child] };
        }
    }

    private static IEnumerable<Change> InSequential(SyntaxNode node, Code code)
    {
        if (code.Factory(node) is ("Sequential", _, var call) && Code.Child(node) is { } child)
        {
            var list = call.ArgumentList.Arguments;
            for (var index = 1; index < list.Count; index++)
            {
                var (a, b) = (list[index - 1], list[index]);
                // The place names a module, so the two are swapped in it, and with names the order alone is.
                yield return new(call, call.ReplaceNodes([a, b], (one, _) => (one == a ? b : a).WithTriviaFrom(one)),
                    new([.. s_seen, "setting", "latent"], Names(a, index - 1), Names(b, index)))
                {
                    Children = [child, $"{child}.{Names(a, index - 1)[0]}", $"{child}.{Names(b, index)[0]}",
                        $"{child}.{Names(a, index - 1)[0]}.*", $"{child}.{Names(b, index)[0]}.*"],
                    Owner = false,
                };
            }
        }
    }

    private static string[] Names(ArgumentSyntax argument, int index)
    {
        if (argument.Expression is TupleExpressionSyntax { Arguments: [{ Expression: LiteralExpressionSyntax named }, ..] })
        {
            return [named.Token.ValueText];
        }

        var made = argument.Expression switch
        {
            InvocationExpressionSyntax call => call.Expression.ToString(),
            ObjectCreationExpressionSyntax create => create.Type.ToString(),
            _ => $"{index}",
        };
        return [$"{index}", made];
    }

    /// <summary>A field of another name, so that the file's weights for it are not found.</summary>
    private static IEnumerable<Change> Renamed(SyntaxNode node, Code code)
    {
        if (node is not ClassDeclarationSyntax owner)
        {
            yield break;
        }

        foreach (var field in Settings.Fields(owner, "Linear", "Conv2d", "Embedding", "BatchNorm2d", "LayerNorm", "LSTM", "GRU", "GRUCell",
            "ConvTranspose2d", "Sequential").Take(3))
        {
            var (old, other) = (field, field + "_");
            var tokens = owner.DescendantTokens().Where(one =>
                one.IsKind(SyntaxKind.IdentifierToken) && one.Text == old
                && !(one.Parent?.Parent is MemberAccessExpressionSyntax at && at.Name == one.Parent
                && at.Expression is not ThisExpressionSyntax) && one.Parent is not ParameterSyntax);
            var changed = owner.ReplaceTokens(tokens, (one, _) => SyntaxFactory.Identifier(one.LeadingTrivia, other, one.TrailingTrivia));
            yield return new(owner, changed, new(["names", "setting", "latent", "missing"], [old], [other])) { Children =
                [old, old + ".*", other, other + ".*"] };
        }
    }

    private static IEnumerable<Change> Reversed(SyntaxNode node, Code code)
    {
        if (!Code.Runs(node))
        {
            yield break;
        }

        if (node is ForEachStatementSyntax each)
        {
            yield return new(each.Expression, Code.Parse($"{Code.Text(each.Expression)}.Reverse()"), Loop(each)) { Children = ["*"] };
        }
        else if (node is ForStatementSyntax { Condition: BinaryExpressionSyntax condition, Declaration.Variables: [{ } variable] } loop)
        {
            var name = variable.Identifier.Text;
            var used = loop.Statement.DescendantNodes().OfType<IdentifierNameSyntax>().Where(one => one.Identifier.Text == name);
            var changed = loop.ReplaceNodes(used, (one, _) =>
                Code.Parse($"({Code.Text(condition.Right)} - 1 - {name})").WithTriviaFrom(one));
            yield return new(loop, changed, Loop(loop)) { Children = ["*", "*.*"] };
        }
    }

    private static IEnumerable<Change> Shortened(SyntaxNode node, Code code)
    {
        if (Code.Runs(node) && node is ForStatementSyntax { Condition: BinaryExpressionSyntax condition } loop)
        {
            yield return new(condition.Right, Code.Parse($"{Code.Text(condition.Right)} - 1"), Loop(loop)) { Children = ["*", "*.*"] };
        }
    }

    /// <summary>A loop over children is told by their order, one over steps by an operator.</summary>
    private static Cause Loop(SyntaxNode _) => new([.. s_seen, "operator", "raised"]);
}
