using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Modules made with other settings than the original's.</summary>
internal static class Settings
{
    /// <summary>The kinds.</summary>
    public static IEnumerable<Kind> Kinds { get; } =
    [
        Setting("eps", ["eps"], ["eps"], (_, _) => "0.01", "BatchNorm1d", "BatchNorm2d", "LayerNorm", "GroupNorm", "InstanceNorm2d"),
        Setting("momentum", ["momentum"], ["momentum"], (_, _) => "0.4", "BatchNorm1d", "BatchNorm2d"),
        Setting("running statistics", ["track_running_stats"], ["track_running_stats", "running_mean"], (_, _) =>
            "false", "BatchNorm1d", "BatchNorm2d"),
        Setting("affine", ["affine", "elementwise_affine"], ["affine", "elementwise_affine", "weight"], (_, _) =>
            "false", "BatchNorm2d", "GroupNorm", "LayerNorm"),
        Setting("bias", ["bias", "hasBias"], ["bias"], (given, _) =>
            given == "false" ? "true" : "false", "Conv1d", "Conv2d", "ConvTranspose2d", "Linear", "GRU", "LSTM"),
        Setting("padding", ["padding"], ["padding"], (given, _) =>
            given is null or "0" ? "1" : "0", "Conv1d", "Conv2d", "MaxPool2d", "AvgPool2d"),
        Setting("stride", ["stride"], ["stride"], (given, _) => given is null or "1" ? "2" : "1", "Conv2d", "MaxPool2d", "AvgPool2d"),
        Setting("dilation", ["dilation"], ["dilation"], (_, _) => "2", "Conv2d"),
        Setting("padding mode", ["padding_mode"], ["padding_mode"], (_, _) => "PaddingModes.Reflect", "Conv2d"),
        Setting("ceil mode", ["ceil_mode", "ceilMode"], ["ceil_mode"], (given, _) =>
            given == "true" ? "false" : "true", "MaxPool2d", "AvgPool2d"),
        Setting("count of padding", ["count_include_pad"], ["count_include_pad"], (given, _) =>
            given == "false" ? "true" : "false", "AvgPool2d"),
        Setting("kernel size", ["kernel_size"], ["kernel_size"], (given, _) => given == "2" ? "3" : "2", "MaxPool2d", "AvgPool2d"),
        Setting("groups", ["num_groups"], ["num_groups"], (given, _) => given == "1" ? "2" : "1", "GroupNorm"),
        Setting("dropout p", ["p", "dropout"], ["p", "dropout"], (_, _) => "0.7", "Dropout", "Dropout1d", "Dropout2d", "LSTM", "GRU"),
        Setting("slope", ["negative_slope", "alpha"], ["negative_slope", "alpha"], (_, _) => "0.3", "LeakyReLU", "ELU"),
        Setting("align corners", ["align_corners"], ["align_corners"], (given, _) => given == "true" ? "false" : "true", "Upsample"),
        Setting("resampling", ["mode"], ["mode"], (given, _) =>
            given == "UpsampleMode.Nearest" ? "UpsampleMode.Bilinear" : "UpsampleMode.Nearest", "Upsample"),
        Setting("batch first", ["batchFirst", "batch_first"], ["batch_first"], (given, _) =>
            given == "true" ? "false" : "true", "LSTM", "GRU", "MultiheadAttention"),
        Setting("bidirectional", ["bidirectional"], ["bidirectional", "reverse"], (given, _) =>
            given == "true" ? "false" : "true", "LSTM", "GRU"),
        Setting("padding index", ["padding_idx"], ["padding_idx"], (given, _) => given == "0" ? "1" : "0", "Embedding"),
        new("gelu approximate", Gelu),
        new("activation", Activation),
        new("size of a layer", Size),
        new("frozen", Frozen),
        new("tied weight", Tied),
    ];

    private static Kind Setting(string kind, string[] parameters, string[] names, Func<string?, string, string> value,
        params string[] factories) =>
        new(kind, (node, code) => At(node, code, parameters, names, value, factories));

    private static IEnumerable<Change> At(
        SyntaxNode node, Code code, string[] parameters, string[] names, Func<string?, string, string> value, string[] factories)
    {
        if (code.Factory(node) is var (name, _, call) && factories.Contains(name) && Code.Child(node) is { } child
            && code.With(call, value(code.Argument(call, parameters)?.Expression.ToString(), name), parameters) is { } other)
        {
            yield return new(call, other, Cause.Setting(names)) { Children = [child], Owner = false };
        }
    }

    private static IEnumerable<Change> Gelu(SyntaxNode node, Code code)
    {
        if (code.Factory(node) is ("GELU", _, var call) && Code.Child(node) is { } child)
        {
            var other = call.ArgumentList.Arguments.Count == 0 ? "GELU(TorchSharp.Modules.GELU.Approximate.tanh)" : "GELU()";
            yield return new(call, Code.Parse(other), Cause.Setting(["approximate"])) { Children = [child], Owner = false };
        }
    }

    private static IEnumerable<Change> Activation(SyntaxNode node, Code code)
    {
        if (code.Factory(node) is var (name, _, call) && Code.Child(node) is { } child && Another(name) is { } other)
        {
            // A field keeps its declared class: only where a Sequential holds the module does another one fit, or in both places at once.
            if (call.Parent is ArgumentSyntax)
            {
                yield return new(call, Code.Parse($"{other}()"), Cause.Setting([other])) { Children = [child], Owner = false };
            }
            else if (call.Parent is EqualsValueClauseSyntax
            {
                Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax declared }
            })
            {
                var changed = declared.ReplaceNodes(new SyntaxNode[] { declared.Type, call }, (one, _) =>
                    Code.Parse(one == call ? $"{other}()" : other).WithTriviaFrom(one));
                yield return new(declared, changed, Cause.Setting([other])) { Children = [child], Owner = false };
            }
        }
    }

    private static string? Another(string name) => name switch
    {
        "ReLU" => "LeakyReLU",
        "LeakyReLU" or "ELU" or "GELU" or "SiLU" or "PReLU" => "ReLU",
        "Sigmoid" => "Tanh",
        "Tanh" => "Sigmoid",
        _ => null,
    };

    /// <summary>The layer is wider or narrower than the original's, so that its weights do not fit.</summary>
    private static IEnumerable<Change> Size(SyntaxNode node, Code code)
    {
        if (code.Factory(node) is ("Linear" or "Conv2d" or "Embedding", _, var call) && Code.Child(node) is { } child)
        {
            var last = call.ArgumentList.Arguments[1].Expression;
            yield return new(last, Code.Parse($"({Code.Text(last)}) + 1"),
                new(["setting", "latent", "names"], ["features", "channels", "shape", "embedding_dim"])) { Children = [child],
                Owner = false };
        }
    }

    private static IEnumerable<Change> Frozen(SyntaxNode node, Code code)
    {
        if (node is ExpressionStatementSyntax
            {
                Expression: InvocationExpressionSyntax
                {
                    Expression: IdentifierNameSyntax { Identifier.Text: "RegisterComponents" }
                }
            }
            && node.FirstAncestorOrSelf<ClassDeclarationSyntax>() is { } owner)
        {
            foreach (var field in Fields(owner, "Linear", "Conv2d", "Embedding"))
            {
                yield return new(node, Then(node, $"{field}.weight!.requires_grad_(false);"),
                    new(["setting", "latent", "gradient"], ["frozen", "requires_grad"], ["weight"])) { Children = [field], Owner = false };
            }
        }
    }

    private static IEnumerable<Change> Tied(SyntaxNode node, Code code)
    {
        if (node is ExpressionStatementSyntax
            {
                Expression: AssignmentExpressionSyntax
                {
                    Left: MemberAccessExpressionSyntax { Name.Identifier.Text: "weight", Expression: IdentifierNameSyntax child }
                } tie
            }
            && tie.Right is MemberAccessExpressionSyntax { Name.Identifier.Text: "weight", Expression: IdentifierNameSyntax with })
        {
            yield return new(node, SyntaxFactory.ParseStatement(";"),
                new(["setting", "latent", "names", "structure"], ["shared", "tied", "same tensor", "one tensor"]))
            {
                Children = [child.Identifier.Text, with.Identifier.Text],
            };
        }
    }

    /// <summary>The names of a class's fields of these types.</summary>
    public static IEnumerable<string> Fields(ClassDeclarationSyntax owner, params string[] types) =>
        from field in owner.Members.OfType<FieldDeclarationSyntax>()
        where types.Contains(field.Declaration.Type.ToString())
        from variable in field.Declaration.Variables
        select variable.Identifier.Text;

    /// <summary>A statement with another one after it, on the same line.</summary>
    public static SyntaxNode Then(SyntaxNode statement, string other) =>
        SyntaxFactory.ParseStatement($"{{ {Code.Text(statement)} {other} }}");
}
