using System.Collections.Concurrent;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reports modules and parameters in fields that <c>RegisterComponents</c> does not see.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
internal sealed class RegistrationAnalyzer() : RuleAnalyzer(Rules.Late, Rules.Unregistered)
{
    protected override void Register(AnalysisContext context)
    {
        context.RegisterSymbolStartAction(
            start =>
            {
                var type = (INamedTypeSymbol)start.Symbol;
                if (type.TypeKind == TypeKind.Class && TorchSymbols.IsModule(type) && ModuleClass.IsOrdinary(type))
                {
                    var found = new Registrations(type);
                    start.RegisterOperationAction(found.AddCall, OperationKind.Invocation);
                    start.RegisterOperationAction(found.AddConstructor, OperationKind.ConstructorBody);
                    start.RegisterSymbolEndAction(found.Report);
                }
            },
            SymbolKind.NamedType);
    }

    /// <summary>Collects the calls of one class that register, and what its constructors assign after them.</summary>
    private sealed class Registrations(INamedTypeSymbol type)
    {
        private readonly ConcurrentBag<Diagnostic> _late = new();
        private volatile bool _registers;
        private volatile bool _registersByHand;

        internal void AddCall(OperationAnalysisContext context)
        {
            var method = ((IInvocationOperation)context.Operation).TargetMethod;
            if (method.Name == ModuleClass.Register && TorchSymbols.IsModule(method.ContainingType))
            {
                _registers = true;
            }
            else if (TorchSymbols.RegistersPart(method))
            {
                _registersByHand = true;
            }
        }

        internal void AddConstructor(OperationAnalysisContext context)
        {
            var body = (IConstructorBodyOperation)context.Operation;
            if (body.Syntax is not ConstructorDeclarationSyntax constructor)
            {
                return;
            }
            var call = ModuleClass.Registration(constructor);
            var isAbove = (body.Initializer as IExpressionStatementOperation)?.Operation is IInvocationOperation initializer
                && ModuleClass.Registers(initializer.TargetMethod);
            if (call is null && !isAbove)
            {
                return;
            }
            var after = isAbove ? constructor.SpanStart : call!.Span.End;
            foreach (var change in ConstructorChanges.Of(body).Where(change => change.Location.SourceSpan.Start > after))
            {
                var moved = isAbove ? ImmutableArray<Location>.Empty : ImmutableArray.Create(call!.GetLocation());
                _late.Add(Diagnostic.Create(Rules.Late, change.Location, moved, change.Member.Name));
            }
        }

        internal void Report(SymbolAnalysisContext context)
        {
            if (_registersByHand)
            {
                return;
            }
            foreach (var late in _late)
            {
                context.ReportDiagnostic(late);
            }
            if (_registers || type.IsAbstract || ModuleClass.IsRegisteredAbove(type))
            {
                return;
            }
            var lost = ModuleClass.Fields(type)
                .Where(field => TorchSymbols.IsModule(field.Field.Type) || TorchSymbols.IsParameter(field.Field.Type))
                .Select(field => field.Shown.Name)
                .FirstOrDefault();
            if (lost is not null)
            {
                context.ReportDiagnostic(Diagnostic.Create(Rules.Unregistered, type.Locations[0], type.Name, lost));
            }
        }
    }
}
