namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reports <c>using</c> on the result of an in-place method, which disposes a tensor that lives on.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
internal sealed class InPlaceDisposalAnalyzer() : RuleAnalyzer(Rules.InPlace)
{
    protected override void Register(AnalysisContext context)
    {
        context.RegisterOperationAction(
            use => Analyze(use, ((IUsingDeclarationOperation)use.Operation).DeclarationGroup), OperationKind.UsingDeclaration);
        context.RegisterOperationAction(use => Analyze(use, ((IUsingOperation)use.Operation).Resources), OperationKind.Using);
    }

    private static void Analyze(OperationAnalysisContext context, IOperation resources)
    {
        foreach (var value in Disposed(resources))
        {
            if (InPlace.Tensor(value) is { } tensor && Outlives(tensor, context.Operation))
            {
                var call = (IInvocationOperation)Values.Unwrap(value);
                context.ReportDiagnostic(
                    Diagnostic.Create(Rules.InPlace, value.Syntax.GetLocation(), call.TargetMethod.Name, Names.Shown(tensor)));
            }
        }
    }

    private static IEnumerable<IOperation> Disposed(IOperation resources)
    {
        if (resources is not IVariableDeclarationGroupOperation group)
        {
            return new[] { resources };
        }
        return group.Declarations.SelectMany(declaration => declaration.Declarators)
            .Select(variable => variable.GetVariableInitializer()?.Value)
            .OfType<IOperation>();
    }

    /// <summary>Returns whether the tensor belongs to something else, and not to this method alone.</summary>
    private static bool Outlives(IOperation tensor, IOperation use) => tensor switch
    {
        IFieldReferenceOperation => true,
        // A tensor's own properties, as its transpose, are new objects.
        IPropertyReferenceOperation property => !TorchSymbols.IsTensor(property.Property.ContainingType) && IsKept(property),
        IParameterReferenceOperation => true,
        ILocalReferenceOperation local => IsShared(local.Local, use),
        _ => false,
    };

    /// <summary>Returns whether a property returns a kept object: it has a setter or a field, or is a module's.</summary>
    private static bool IsKept(IPropertyReferenceOperation property) =>
        property.Property.Parameters.IsEmpty
        && (property.Property.SetMethod is not null || TorchSymbols.IsModule(property.Property.ContainingType)
            || property.Property.ContainingType.GetMembers().OfType<IFieldSymbol>()
                .Any(field => SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property.Property)));

    /// <summary>Returns whether a local variable holds the tensor of something else, or is used where it is disposed already.</summary>
    private static bool IsShared(ILocalSymbol local, IOperation use)
    {
        var end = use is IUsingOperation ? use.Syntax.Span.End : use.Parent?.Syntax.Span.End ?? use.Syntax.Span.End;
        var at = use;
        while (at.Parent is not null and not IAnonymousFunctionOperation and not ILocalFunctionOperation)
        {
            at = at.Parent;
        }
        foreach (var found in at.Descendants())
        {
            var shared = found switch
            {
                IForEachLoopOperation loop => loop.Locals.Contains(local, SymbolEqualityComparer.Default),
                IVariableDeclaratorOperation variable when Same(variable.Symbol, local) =>
                    variable.GetVariableInitializer()?.Value is { } value
                    && Values.Unwrap(value) is IFieldReferenceOperation or IParameterReferenceOperation,
                ILocalReferenceOperation reference when Same(reference.Local, local) => IsUsedAfter(reference, use, end),
                _ => false,
            };
            if (shared)
            {
                return true;
            }
        }
        return false;
    }

    private static bool IsUsedAfter(ILocalReferenceOperation reference, IOperation use, int end)
    {
        var start = reference.Syntax.SpanStart;
        var assigned = reference.Parent is IAssignmentOperation assignment && assignment.Target == reference;
        var returned = start > use.Syntax.SpanStart && start < end && IsReturned(reference);
        return returned || (start >= end && !assigned);
    }

    private static bool IsReturned(IOperation value)
    {
        var at = value.Parent;
        while (at is IConversionOperation or ITupleOperation or IConditionalOperation or IParenthesizedOperation)
        {
            at = at.Parent;
        }
        return at is IReturnOperation;
    }

    private static bool Same(ISymbol one, ISymbol other) => SymbolEqualityComparer.Default.Equals(one, other);
}
