using System.Collections.Concurrent;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reports modules in a <c>Sequential</c> whose <c>forward</c> can return its parameter.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
internal sealed class SequentialInputAnalyzer() : RuleAnalyzer(Rules.Input)
{
    protected override void Register(AnalysisContext context)
    {
        context.RegisterCompilationStartAction(start =>
        {
            var returns = new ConcurrentDictionary<IMethodSymbol, ImmutableArray<Location>>(SymbolEqualityComparer.Default);
            start.RegisterOperationAction(
                found => Analyze(found, returns), OperationKind.Invocation, OperationKind.ObjectCreation);
        });
    }

    private static void Analyze(
        OperationAnalysisContext context, ConcurrentDictionary<IMethodSymbol, ImmutableArray<Location>> returns)
    {
        foreach (var element in Modules(context.Operation))
        {
            if (Forward(element.Type) is not { } forward)
            {
                continue;
            }
            var places = returns.GetOrAdd(forward, method => ReturnedInput.Find(method, context.CancellationToken));
            if (!places.IsEmpty)
            {
                context.ReportDiagnostic(
                    Diagnostic.Create(Rules.Input, element.Syntax.GetLocation(), places, $"{forward.ContainingType.Name}.forward"));
            }
        }
    }

    /// <summary>Returns the modules that a call puts into a <c>Sequential</c>. With a single one it disposes nothing.</summary>
    private static IEnumerable<IOperation> Modules(IOperation operation)
    {
        var (arguments, isWhole) = operation switch
        {
            IInvocationOperation { TargetMethod: { Name: "Sequential", IsStatic: true } } call
                when TorchSymbols.IsSequential(call.Type) => (call.Arguments, true),
            IInvocationOperation { TargetMethod: { MethodKind: MethodKind.Constructor } method } call
                when TorchSymbols.IsSequential(method.ContainingType) => (call.Arguments, true),
            IInvocationOperation { TargetMethod.Name: "append" or "Add", Instance: { } receiver } call
                when TorchSymbols.IsSequential(receiver.Type) => (call.Arguments, false),
            IObjectCreationOperation creation when TorchSymbols.IsSequential(creation.Type) => (creation.Arguments, true),
            _ => (ImmutableArray<IArgumentOperation>.Empty, true),
        };
        if (arguments.IsEmpty)
        {
            return Enumerable.Empty<IOperation>();
        }
        var modules = arguments.SelectMany(argument => Values.Elements(argument.Value))
            .Where(element => TorchSymbols.IsModule(element.Type))
            .ToList();
        return isWhole && modules.Count < 2 ? Enumerable.Empty<IOperation>() : modules;
    }

    private static IMethodSymbol? Forward(ITypeSymbol? type)
    {
        for (var at = type; at is not null; at = at.BaseType)
        {
            var found = at.GetMembers("forward").OfType<IMethodSymbol>()
                .FirstOrDefault(method => method.IsOverride && method.Parameters.Length == 1 && TorchSymbols.Hooked(method) is not null);
            if (found is not null)
            {
                return found;
            }
        }
        return null;
    }
}
