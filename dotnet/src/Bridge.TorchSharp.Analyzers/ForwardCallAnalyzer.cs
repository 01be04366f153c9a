using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reports modules that are run by <c>forward</c>, which runs no hooks, and not by <c>call</c>.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
internal sealed class ForwardCallAnalyzer() : RuleAnalyzer(Rules.Forward)
{
    protected override void Register(AnalysisContext context)
    {
        context.RegisterCompilationStartAction(start =>
        {
            if (TorchSymbols.AreIn(start.Compilation))
            {
                start.RegisterOperationAction(AnalyzeCall, OperationKind.Invocation);
                start.RegisterOperationAction(AnalyzeLateCall, OperationKind.DynamicInvocation);
                start.RegisterOperationAction(AnalyzeReference, OperationKind.MethodReference);
            }
        });
    }

    private static void AnalyzeCall(OperationAnalysisContext context)
    {
        var call = (IInvocationOperation)context.Operation;
        if (call.Syntax is InvocationExpressionSyntax { Expression: var function })
        {
            Report(context, call.TargetMethod, call.Instance, function);
        }
    }

    /// <summary>Reports a call with a <c>dynamic</c> argument, for which the program chooses the method when it runs.</summary>
    private static void AnalyzeLateCall(OperationAnalysisContext context)
    {
        var call = (IDynamicInvocationOperation)context.Operation;
        if (call.Syntax is InvocationExpressionSyntax { Expression: var function }
            && call.Operation is IDynamicMemberReferenceOperation { MemberName: "forward", Instance: { } instance }
            && TorchSymbols.OnlyHooked(instance.Type, call.Arguments.Length) is { } method)
        {
            Report(context, method, instance, function);
        }
    }

    private static void AnalyzeReference(OperationAnalysisContext context)
    {
        var reference = (IMethodReferenceOperation)context.Operation;
        Report(context, reference.Method, reference.Instance, reference.Syntax);
    }

    private static void Report(OperationAnalysisContext context, IMethodSymbol method, IOperation? instance, SyntaxNode function)
    {
        if (instance is null || method.Name != "forward" || Names.Of(function) is not { } name)
        {
            return;
        }
        var isHooked = TorchSymbols.Hooked(method) is not null;
        if (!isHooked && !IsOtherForward(method, context.CancellationToken))
        {
            return;
        }
        instance = Values.Unwrap(instance);
        // A module that runs its own 'forward' chooses between its overloads, or is inside of 'call'.
        if (instance is IInstanceReferenceOperation || IsModuleOfHook(instance))
        {
            return;
        }
        var hint = isHooked ? ": use 'call'" : ", and no 'call' has these parameters";
        context.ReportDiagnostic(Diagnostic.Create(Rules.Forward, name.GetLocation(), Names.Shown(instance), hint));
    }

    /// <summary>Returns whether a module that has hooks declares another <c>forward</c>, which does not use <c>call</c> itself.</summary>
    private static bool IsOtherForward(IMethodSymbol method, CancellationToken cancellation) =>
        TorchSymbols.HasHooks(method.ContainingType)
        && !method.DeclaringSyntaxReferences.Any(reference => reference.GetSyntax(cancellation).DescendantNodes().Any(IsCall));

    private static bool IsCall(SyntaxNode node) => node is InvocationExpressionSyntax call && call.Expression switch
    {
        IdentifierNameSyntax name => name.Identifier.ValueText == "call",
        MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax or BaseExpressionSyntax } access =>
            access.Name.Identifier.ValueText == "call",
        _ => false,
    };

    /// <summary>Returns whether a hook runs its own module again, where <c>call</c> would run the hook again.</summary>
    private static bool IsModuleOfHook(IOperation instance) =>
        instance is IParameterReferenceOperation { Parameter: { Ordinal: 0, ContainingSymbol: IMethodSymbol hook } }
        && Hooks.RegistrationOf(instance, hook) is not null;
}
