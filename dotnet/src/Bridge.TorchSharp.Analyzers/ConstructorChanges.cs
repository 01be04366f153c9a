namespace Bridge.TorchSharp.Analyzers;

/// <summary>Lists the modules and parameters that a constructor assigns to fields or adds to TorchSharp's lists in fields.</summary>
internal static class ConstructorChanges
{
    private const string Adding = "Add append extend insert Insert";

    internal static IEnumerable<(ISymbol Member, Location Location)> Of(IOperation constructor)
    {
        foreach (var inner in constructor.ChildOperations)
        {
            // A lambda runs later.
            if (inner is IAnonymousFunctionOperation or ILocalFunctionOperation)
            {
                continue;
            }
            if (Change(inner) is { } change)
            {
                yield return change;
            }
            foreach (var found in Of(inner))
            {
                yield return found;
            }
        }
    }

    private static (ISymbol Member, Location Location)? Change(IOperation operation) => operation switch
    {
        ISimpleAssignmentOperation assignment when IsPart(assignment) => Found(assignment.Target),
        IInvocationOperation { Instance: { } list } call
            when TorchSymbols.IsContainer(list.Type) && System.Array.IndexOf(Adding.Split(' '), call.TargetMethod.Name) >= 0 => Found(list),
        _ => null,
    };

    private static bool IsPart(ISimpleAssignmentOperation assignment)
    {
        var value = Values.Unwrap(assignment.Value);
        if (value.ConstantValue.HasValue || value is IDefaultValueOperation)
        {
            return false;
        }
        // Some programs keep the tensors of such modules, or second names of registered ones, out of the state_dict in this way.
        var isTable = Values.Branches(value).Any(branch => ModuleClass.HasTensorsAlone(branch.Type));
        return !isTable && !ModuleUses.IsMadeOfFields(value) && (IsPart(assignment.Target.Type) || IsPart(value.Type));
    }

    private static bool IsPart(ITypeSymbol? type) => TorchSymbols.IsModule(type) || TorchSymbols.IsParameter(type);

    private static (ISymbol Member, Location Location)? Found(IOperation target) =>
        Values.OwnMember(target) is { IsStatic: false } member && (member is IFieldSymbol || IsAutomatic(member))
            ? (member, target.Syntax.GetLocation())
            : null;

    /// <summary>Returns whether the property has a field, which the compiler declares.</summary>
    private static bool IsAutomatic(ISymbol property)
    {
        foreach (var member in property.ContainingType.GetMembers())
        {
            if (member is IFieldSymbol field && SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property))
            {
                return true;
            }
        }
        return false;
    }
}
