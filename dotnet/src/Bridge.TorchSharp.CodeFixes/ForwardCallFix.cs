using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Microsoft.CodeAnalysis.Text;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Writes <c>call</c> instead of <c>forward</c>, with the arguments that <c>forward</c> has by default.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ForwardCallFix)), Shared]
internal sealed class ForwardCallFix() : EditingFix(Rules.Forward, "Run the module by 'call'")
{
    internal override async Task<IReadOnlyList<Edit>> EditsAsync(
        Document document, Diagnostic diagnostic, CancellationToken cancellation)
    {
        var root = await document.GetSyntaxRootAsync(cancellation).ConfigureAwait(false);
        var model = await document.GetSemanticModelAsync(cancellation).ConfigureAwait(false);
        if (root?.FindNode(diagnostic.Location.SourceSpan) is not SimpleNameSyntax name || model is null)
        {
            return [];
        }
        var rename = new TextChange(name.Span, "call");
        IReadOnlyList<TextChange>? changes = [rename];
        var call = name.AncestorsAndSelf().OfType<InvocationExpressionSyntax>()
            .FirstOrDefault(found => Names.Of(found.Expression) == name);
        if (call is not null)
        {
            changes = Changes(model, call, rename, cancellation);
        }
        return changes?.Select(change => new Edit(document.Id, change.Span, change.NewText!)).ToList() ?? [];
    }

    private static IReadOnlyList<TextChange>? Changes(
        SemanticModel model, InvocationExpressionSyntax call, TextChange rename, CancellationToken cancellation)
    {
        var found = model.GetOperation(call, cancellation);
        if (found is not IInvocationOperation operation)
        {
            // With a 'dynamic' argument, there is one for each parameter; the names of the parameters differ.
            return found is not IDynamicInvocationOperation || call.ArgumentList.Arguments.Any(argument => argument.NameColon is not null)
                ? null
                : [rename];
        }
        if (CallBinding.IsCall(model, call, operation, [rename]))
        {
            return [rename];
        }
        var changes = Explicit(call, operation)?.Append(rename).OrderBy(change => change.Span.Start).ToList();
        return changes is not null && CallBinding.IsCall(model, call, operation, changes) ? changes : null;
    }

    /// <summary>Returns the changes that give each parameter an argument, by the names that <c>call</c> has for them.</summary>
    private static List<TextChange>? Explicit(InvocationExpressionSyntax call, IInvocationOperation operation)
    {
        var parameters = TorchSymbols.Hooked(operation.TargetMethod)?.ContainingType.GetMembers("call").OfType<IMethodSymbol>()
            .FirstOrDefault(method => method.Parameters.Length == operation.TargetMethod.Parameters.Length)?.Parameters;
        if (parameters is not { } names)
        {
            return null;
        }
        var changes = new List<TextChange>();
        var added = new List<string>();
        var byName = false;
        foreach (var argument in call.ArgumentList.Arguments.Where(argument => argument.NameColon is not null))
        {
            byName = true;
            var parameter = operation.TargetMethod.Parameters.First(found => found.Name == argument.NameColon!.Name.Identifier.ValueText);
            changes.Add(new TextChange(argument.NameColon!.Name.Span, names[parameter.Ordinal].Name));
        }
        foreach (var argument in operation.Arguments.Where(argument => argument.ArgumentKind == ArgumentKind.DefaultValue))
        {
            if (argument.Parameter is not { HasExplicitDefaultValue: true } parameter)
            {
                return null;
            }
            added.Add((byName ? $"{names[parameter.Ordinal].Name}: " : "") + Literal(parameter));
        }
        if (added.Count > 0)
        {
            var separator = call.ArgumentList.Arguments.Count > 0 ? ", " : "";
            changes.Add(new TextChange(
                new TextSpan(call.ArgumentList.CloseParenToken.SpanStart, 0), separator + string.Join(", ", added)));
        }
        return changes;
    }

    private static string Literal(IParameterSymbol parameter)
    {
        var value = parameter.ExplicitDefaultValue;
        if (value is null)
        {
            return parameter.Type.IsReferenceType || parameter.Type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T
                ? "null"
                : "default";
        }
        var literal = SymbolDisplay.FormatPrimitive(value, quoteStrings: true, useHexadecimalNumbers: false);
        return (parameter.Type.TypeKind, value) switch
        {
            (TypeKind.Enum, _) => $"({parameter.Type.ToDisplayString()}){literal}",
            (_, float) => $"{literal}F",
            (_, decimal) => $"{literal}M",
            _ => literal,
        };
    }
}
