using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reports a hook that adds another of its kind to its module: TorchSharp is enumerating them.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
internal sealed class HookRegistrationAnalyzer() : RuleAnalyzer(Rules.Hook)
{
    protected override void Register(AnalysisContext context)
    {
        context.RegisterOperationAction(Analyze, OperationKind.Invocation);
    }

    private static void Analyze(OperationAnalysisContext context)
    {
        var inner = (IInvocationOperation)context.Operation;
        if (!TorchSymbols.AddsHook(inner.TargetMethod) || inner.Instance is not { } receiver)
        {
            return;
        }
        // A lambda or a local function between the two runs later, or not at all.
        var at = inner.Parent;
        while (at is not null and not IAnonymousFunctionOperation and not ILocalFunctionOperation)
        {
            at = at.Parent;
        }
        if (at is not IAnonymousFunctionOperation hook || Hooks.RegistrationOf(hook) is not { Instance: { } owner } outer)
        {
            return;
        }
        var isSameKind = Same(inner.TargetMethod.OriginalDefinition, outer.TargetMethod.OriginalDefinition);
        var isSameModule = IsModuleOf(hook, Values.Unwrap(receiver), Values.Unwrap(owner));
        if (isSameKind && isSameModule && inner.Syntax is InvocationExpressionSyntax syntax)
        {
            var name = (SyntaxNode?)Names.Of(syntax.Expression) ?? syntax;
            context.ReportDiagnostic(Diagnostic.Create(Rules.Hook, name.GetLocation(), inner.TargetMethod.Name));
        }
    }

    private static bool IsModuleOf(IAnonymousFunctionOperation hook, IOperation receiver, IOperation owner) => receiver switch
    {
        IParameterReferenceOperation { Parameter: { Ordinal: 0 } parameter }
            when SymbolEqualityComparer.Default.Equals(parameter.ContainingSymbol, hook.Symbol) => true,
        ILocalReferenceOperation local => owner is ILocalReferenceOperation other && Same(local.Local, other.Local),
        IParameterReferenceOperation parameter => owner is IParameterReferenceOperation other && Same(parameter.Parameter, other.Parameter),
        IInstanceReferenceOperation => owner is IInstanceReferenceOperation,
        _ => Values.OwnMember(receiver) is IFieldSymbol field && Same(field, Values.OwnMember(owner)),
    };

    private static bool Same(ISymbol one, ISymbol? other) => SymbolEqualityComparer.Default.Equals(one, other);
}
