namespace Bridge.TorchSharp.Analyzers;

/// <summary>Follows modules from where they are kept to where something registers them.</summary>
internal static class ModuleUses
{
    /// <summary>Returns whether a module is made of the value, as in <c>Sequential(layers.ToArray())</c>.</summary>
    internal static bool GivesToModule(IOperation value)
    {
        for (var (at, from) = (value.Parent, value); at is not null; (at, from) = (at.Parent, at))
        {
            switch (at)
            {
                case IForEachLoopOperation loop when loop.Collection == from || Values.Unwrap(loop.Collection) == value:
                    return loop.Locals.Any(local => IsGivenToModule(local, loop.Body));
                case IAnonymousFunctionOperation or IBlockOperation:
                    return false;
                case IInvocationOperation or IObjectCreationOperation when from is IArgumentOperation && TakesModules(at):
                    return true;
            }
        }
        return false;
    }

    /// <summary>Returns what the statement around the reference assigns to the collection or adds to it.</summary>
    internal static IOperation? Added(IOperation reference) => reference.Parent switch
    {
        ISimpleAssignmentOperation assignment when assignment.Target == reference => assignment.Value,
        IInvocationOperation call when call.Instance == reference => call.Arguments.LastOrDefault()?.Value,
        IPropertyReferenceOperation { Parent: ISimpleAssignmentOperation assignment } element
            when assignment.Target == element && element.Instance == reference => assignment.Value,
        IArrayElementReferenceOperation { Parent: ISimpleAssignmentOperation assignment } element
            when assignment.Target == element && element.ArrayReference == reference => assignment.Value,
        _ => null,
    };

    /// <summary>Returns whether another field has the module, or a module in a local variable is given to another module.</summary>
    internal static bool IsRegisteredElsewhere(IOperation element)
    {
        element = Values.Unwrap(element);
        if (Values.OwnMember(element) is not null)
        {
            return TorchSymbols.IsModule(element.Type);
        }
        if (element is IAssignmentOperation { Target: { } target } && Values.OwnMember(target) is not null)
        {
            return TorchSymbols.IsModule(target.Type);
        }
        return element is ILocalReferenceOperation local && IsGivenToModule(local.Local, Root(element));
    }

    /// <summary>Returns whether the value is a module that is made of modules in fields, as in <c>Sequential(fc1, fc2)</c>.</summary>
    internal static bool IsMadeOfFields(IOperation value)
    {
        var arguments = value switch
        {
            IInvocationOperation call => call.Arguments,
            IObjectCreationOperation creation => creation.Arguments,
            _ => ImmutableArray<IArgumentOperation>.Empty,
        };
        return arguments.SelectMany(argument => Values.Elements(argument.Value))
            .Any(element => Values.OwnMember(element) is not null && TorchSymbols.IsModule(Values.Unwrap(element).Type));
    }

    private static bool IsGivenToModule(ILocalSymbol local, IOperation within) => within.Descendants()
        .OfType<ILocalReferenceOperation>()
        .Where(reference => SymbolEqualityComparer.Default.Equals(reference.Local, local))
        .Any(reference => GivesToModule(reference) || IsKeptInModule(reference));

    private static bool IsKeptInModule(IOperation reference)
    {
        var at = reference.Parent;
        while (at is IConversionOperation)
        {
            at = at.Parent;
        }
        return at is ISimpleAssignmentOperation assignment && assignment.Target != reference
            && TorchSymbols.IsModule(assignment.Target.Type)
            && assignment.Target is IFieldReferenceOperation or IPropertyReferenceOperation;
    }

    /// <summary>Returns whether the call makes a module of its arguments or gives them to one.</summary>
    private static bool TakesModules(IOperation call) =>
        TorchSymbols.IsModule(call.Type)
        || (call is IInvocationOperation { Instance: { } receiver, TargetMethod.Name: not ("forward" or "call") }
            && TorchSymbols.IsModule(receiver.Type));

    private static IOperation Root(IOperation operation)
    {
        while (operation.Parent is { } parent)
        {
            operation = parent;
        }
        return operation;
    }
}
