using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Diagnosis;

/// <summary>Modules made with settings that differ from the original's.</summary>
internal static class Settings
{
    private const string Norms = "BatchNorm1d BatchNorm2d", Pools = "MaxPool2d AvgPool2d", Recurrent = "LSTM GRU";

    public static IEnumerable<Kind> Kinds { get; } =
    [
        Setting("eps", "eps", "0.01", $"{Norms} LayerNorm GroupNorm InstanceNorm2d"),
        Setting("momentum", "momentum", "0.4", Norms),
        Setting("running statistics", "track_running_stats", "false", Norms, "running_mean"),
        Setting("affine", "affine elementwise_affine", "false", "BatchNorm2d GroupNorm LayerNorm", "weight"),
        Setting("bias", "bias hasBias", "false true", $"Conv1d Conv2d ConvTranspose2d Linear {Recurrent}"),
        Setting("padding", "padding", "0 1", $"Conv1d Conv2d {Pools}", unset: "0"),
        Setting("stride", "stride", "1 2", $"Conv2d {Pools}", unset: "1"),
        Setting("dilation", "dilation", "2", "Conv2d"),
        Setting("padding mode", "padding_mode", "PaddingModes.Reflect", "Conv2d"),
        Setting("ceil mode", "ceil_mode ceilMode", "true false", Pools),
        Setting("count of padding", "count_include_pad", "false true", "AvgPool2d"),
        Setting("kernel size", "kernel_size", "2 3", Pools),
        Setting("groups", "num_groups", "1 2", "GroupNorm"),
        Setting("dropout p", "p dropout", "0.7", $"Dropout Dropout1d Dropout2d {Recurrent}"),
        Setting("slope", "negative_slope alpha", "0.3", "LeakyReLU ELU"),
        Setting("align corners", "align_corners", "true false", "Upsample"),
        Setting("resampling", "mode", "UpsampleMode.Nearest UpsampleMode.Bilinear", "Upsample"),
        Setting("batch first", "batch_first batchFirst", "true false", $"{Recurrent} MultiheadAttention"),
        Setting("bidirectional", "bidirectional", "true false", Recurrent, "reverse"),
        Setting("padding index", "padding_idx", "0 1", "Embedding"),
        Kind.By("gelu approximate", site => site.Factory is ("GELU", var path, var call) ? Change.OfChild(path, call, Site.Parse(
            call.ArgumentList.Arguments.Count == 0 ? "GELU(TorchSharp.Modules.GELU.Approximate.tanh)" : "GELU()"), "approximate") : null),
        Kind.By("activation", Activation),
        Kind.By("size of a layer", site => site.Factory is ("Linear" or "Conv2d" or "Embedding", var path, var call)
            && call.ArgumentList.Arguments[1].Expression is var size
            ? Change.OfChild(path, size, Site.Parse($"({size}) + 1"), "features|channels|shape|embedding_dim") : null),
        new("frozen", site => site.Node is not ExpressionStatementSyntax { Expression: InvocationExpressionSyntax
            { Expression: IdentifierNameSyntax { Identifier.Text: "RegisterComponents" } } } ? []
            : from field in site.Fields("Linear Conv2d Embedding")
              let both = SyntaxFactory.ParseStatement($"{{ {site.Node} {field}.weight!.requires_grad_(false); }}")
              select Change.OfChild(field, site.Node, both, "frozen|requires_grad") with
              {
                  Words = ["frozen|requires_grad", "weight"], Findings = ["setting", "latent", "gradient"],
              }),
        Kind.By("tied weight", site => site.Node is ExpressionStatementSyntax { Expression: AssignmentExpressionSyntax
            {
                Left: MemberAccessExpressionSyntax { Name.Identifier.Text: "weight", Expression: IdentifierNameSyntax child },
                Right: MemberAccessExpressionSyntax { Name.Identifier.Text: "weight", Expression: IdentifierNameSyntax other },
            } } ? new(site.Node, SyntaxFactory.ParseStatement(";"), "shared|tied|same tensor|one tensor")
            {
                Findings = ["setting", "latent", "names", "structure"], Children = [$"{child}", $"{other}"],
            } : null),
    ];

    /// <summary>
    /// Another value for a parameter of some factories. Of two <paramref name="values"/> the first becomes the second, and any other value
    /// the first; <paramref name="unset"/> is the value of a call that gives none.
    /// </summary>
    /// <param name="words">Further words by which a diagnosis may name the parameter.</param>
    private static Kind Setting(
        string kind, string parameters, string values, string factories, string words = "", string? unset = null) =>
        Kind.By(kind, site => site.Factory is (var factory, var path, var call) && factories.Split(' ').Contains(factory)
            && values.Split(' ') is [var first, .. var second]
            && site.With(parameters, (site.Argument(parameters)?.ToString() ?? unset) == first ? second.FirstOrDefault(first) : first)
                is { } other ? Change.OfChild(path, call, other, $"{parameters} {words}".Trim().Replace(' ', '|')) : null);

    private static Change? Activation(Site site)
    {
        if (site.Factory is not (var name, var path, var call) || name switch
        {
            "ReLU" => "LeakyReLU",
            "LeakyReLU" or "ELU" or "GELU" or "SiLU" or "PReLU" => "ReLU",
            "Sigmoid" => "Tanh",
            "Tanh" => "Sigmoid",
            _ => null,
        } is not { } other)
        {
            return null;
        }

        // A field has the class of its module, so it changes too; the modules of a Sequential may have any class.
        return call.Parent switch
        {
            ArgumentSyntax => Change.OfChild(path, call, Site.Parse($"{other}()"), other),
            EqualsValueClauseSyntax { Parent.Parent: VariableDeclarationSyntax field } => Change.OfChild(path, field, field.ReplaceNodes(
                new SyntaxNode[] { field.Type, call },
                (old, _) => Site.Parse(old == call ? $"{other}()" : other).WithTriviaFrom(old)), other),
            _ => null,
        };
    }
}
