using System.Collections.Concurrent;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reports fields of a module that hold modules in an array, a list or a dictionary of .NET.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
internal sealed class ModuleCollectionAnalyzer() : RuleAnalyzer(Rules.Collection)
{
    protected override void Register(AnalysisContext context)
    {
        context.RegisterSymbolStartAction(
            start =>
            {
                var type = (INamedTypeSymbol)start.Symbol;
                if (type.TypeKind != TypeKind.Class || !TorchSymbols.IsModule(type) || !ModuleClass.IsOrdinary(type))
                {
                    return;
                }
                var fields = ModuleClass.Fields(type).Where(field => Contained(field.Field.Type) is not null).ToImmutableArray();
                if (!fields.IsEmpty)
                {
                    var found = new Collections(fields);
                    start.RegisterOperationAction(
                        found.AddReference, OperationKind.FieldReference, OperationKind.PropertyReference, OperationKind.FieldInitializer,
                        OperationKind.PropertyInitializer);
                    start.RegisterOperationAction(found.AddCall, OperationKind.Invocation);
                    start.RegisterSymbolEndAction(found.Report);
                }
            },
            SymbolKind.NamedType);
    }

    /// <summary>Returns TorchSharp's collection for the modules in a value of the type, which is no module; null if it has none.</summary>
    private static string? Contained(ITypeSymbol type)
    {
        if (TorchSymbols.IsModule(type))
        {
            return null;
        }
        if (type is IArrayTypeSymbol array)
        {
            return IsElement(array.ElementType) ? "ModuleList" : Contained(array.ElementType);
        }
        if (type is not INamedTypeSymbol named)
        {
            return null;
        }
        foreach (var face in named.AllInterfaces.Insert(0, named))
        {
            if (face.OriginalDefinition.SpecialType != SpecialType.System_Collections_Generic_IEnumerable_T)
            {
                continue;
            }
            if (face.TypeArguments[0] is INamedTypeSymbol { Name: "KeyValuePair", TypeArguments: { Length: 2 } pair })
            {
                return IsElement(pair[1]) ? "ModuleDict" : Contained(pair[1]);
            }
            return IsElement(face.TypeArguments[0]) ? "ModuleList" : Contained(face.TypeArguments[0]);
        }
        return null;
    }

    /// <summary>Returns whether the type is that of modules, and not of caches of tensors, which are state and no layers.</summary>
    private static bool IsElement(ITypeSymbol type) => TorchSymbols.IsModuleOrInterface(type) && !ModuleClass.HasTensorsAlone(type);

    /// <summary>Collects what one class does with its collections of modules.</summary>
    private sealed class Collections(ImmutableArray<(IFieldSymbol Field, ISymbol Shown)> fields)
    {
        private readonly ConcurrentDictionary<ISymbol, ConcurrentBag<bool>> _uses = new(SymbolEqualityComparer.Default);
        private volatile bool _registersByHand;

        internal void AddCall(OperationAnalysisContext context)
        {
            if (TorchSymbols.RegistersPart(((IInvocationOperation)context.Operation).TargetMethod))
            {
                _registersByHand = true;
            }
        }

        internal void AddReference(OperationAnalysisContext context)
        {
            switch (context.Operation)
            {
                case IFieldInitializerOperation initializer:
                    initializer.InitializedFields.ToList().ForEach(field => AddValue(field, initializer.Value));
                    break;
                case IPropertyInitializerOperation initializer:
                    initializer.InitializedProperties.ToList().ForEach(property => AddValue(property, initializer.Value));
                    break;
                case var reference when Values.OwnMember(reference) is { } member && IsOurs(member):
                    AddUse(member, reference);
                    break;
            }
        }

        internal void Report(SymbolAnalysisContext context)
        {
            foreach (var (field, shown) in fields)
            {
                // A use that registers some modules is taken to register them all.
                var isRegistered = _uses.TryGetValue(shown, out var uses) && uses.Contains(true);
                if (!_registersByHand && !isRegistered && shown.Locations.FirstOrDefault() is { } place)
                {
                    context.ReportDiagnostic(
                        Diagnostic.Create(Rules.Collection, place, shown.Name, Names.Shown(field.Type), Contained(field.Type)));
                }
            }
        }

        private bool IsOurs(ISymbol member) => fields.Any(field => SymbolEqualityComparer.Default.Equals(field.Shown, member));

        private void AddUse(ISymbol member, IOperation reference)
        {
            if (ModuleUses.GivesToModule(reference))
            {
                Note(member, true);
            }
            else if (ModuleUses.Added(reference) is { } added)
            {
                AddValue(member, added);
            }
        }

        private void AddValue(ISymbol member, IOperation value)
        {
            var elements = Values.Elements(value).ToList();
            Note(member, elements.Count > 0 && elements.Exists(ModuleUses.IsRegisteredElsewhere));
        }

        private void Note(ISymbol member, bool registered) => _uses.GetOrAdd(member, _ => new ConcurrentBag<bool>()).Add(registered);
    }
}
