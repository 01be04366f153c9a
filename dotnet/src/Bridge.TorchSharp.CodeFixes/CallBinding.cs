using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Microsoft.CodeAnalysis.Text;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Asks the compiler which <c>call</c> a changed expression is.</summary>
internal static class CallBinding
{
    /// <summary>Returns whether the changed call compiles, and is a <c>call</c> with the same type.</summary>
    internal static bool IsCall(
        SemanticModel model, InvocationExpressionSyntax call, IInvocationOperation operation, IEnumerable<TextChange> changes)
    {
        var start = call.SpanStart;
        var text = Apply(call.ToString(), changes.Select(change => new TextChange(Moved(change.Span, -start), change.NewText!)));
        // 'a?.forward(x)' is compiled as 'a.forward(x)'.
        for (var access = Access(call); access is not null; access = Access(access))
        {
            text = access.Expression + text;
        }
        var changed = SyntaxFactory.ParseExpression(text);
        var symbol = model.GetSpeculativeSymbolInfo(start, changed, SpeculativeBindingOption.BindAsExpression).Symbol;
        return symbol is IMethodSymbol { Name: "call" } method
            && SymbolEqualityComparer.Default.Equals(method.ReturnType, operation.TargetMethod.ReturnType);
    }

    private static ConditionalAccessExpressionSyntax? Access(ExpressionSyntax inner) => inner.Ancestors()
        .OfType<ConditionalAccessExpressionSyntax>()
        .FirstOrDefault(access => access.WhenNotNull.Span.Contains(inner.Span) && access.WhenNotNull.SpanStart == inner.SpanStart);

    private static TextSpan Moved(TextSpan span, int by) => new(span.Start + by, span.Length);

    private static string Apply(string text, IEnumerable<TextChange> changes) => SourceText.From(text).WithChanges(changes).ToString();
}
