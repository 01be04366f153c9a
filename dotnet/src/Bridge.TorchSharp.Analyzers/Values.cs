namespace Bridge.TorchSharp.Analyzers;

/// <summary>Looks through conversions, tuples and collections at the values in them.</summary>
internal static class Values
{
    /// <summary>Returns the value without its conversions and parentheses.</summary>
    internal static IOperation Unwrap(IOperation value)
    {
        while (true)
        {
            switch (value)
            {
                case IConversionOperation { OperatorMethod: null } conversion:
                    value = conversion.Operand;
                    break;
                case IParenthesizedOperation parenthesized:
                    value = parenthesized.Operand;
                    break;
                case IConditionalAccessInstanceOperation instance when Receiver(instance) is { } receiver:
                    value = receiver;
                    break;
                default:
                    return value;
            }
        }
    }

    /// <summary>Returns the elements of an array, a collection or a tuple; otherwise the value itself.</summary>
    internal static IEnumerable<IOperation> Elements(IOperation value)
    {
        value = Unwrap(value);
        var inner = value switch
        {
            IArrayCreationOperation { Initializer: { } initializer } => initializer.ElementValues,
            ICollectionExpressionOperation collection => collection.Elements,
            ITupleOperation tuple => tuple.Elements,
            _ => default,
        };
        if (inner.IsDefault)
        {
            yield return value;
            yield break;
        }
        foreach (var element in inner)
        {
            foreach (var found in Elements(element))
            {
                yield return found;
            }
        }
    }

    /// <summary>Returns the values of which a conditional or switch expression is one; otherwise the value itself.</summary>
    internal static IEnumerable<IOperation> Branches(IOperation value) => Unwrap(value) switch
    {
        IConditionalOperation { WhenFalse: { } otherwise } choice => Branches(choice.WhenTrue).Concat(Branches(otherwise)),
        ISwitchExpressionOperation choice => choice.Arms.SelectMany(arm => Branches(arm.Value)),
        ICoalesceOperation choice => Branches(choice.Value).Concat(Branches(choice.WhenNull)),
        var other => new[] { other },
    };

    /// <summary>Returns the field, also that of an automatic property, if the value is one of this object.</summary>
    internal static ISymbol? OwnMember(IOperation value) => Unwrap(value) switch
    {
        IFieldReferenceOperation { Instance: IInstanceReferenceOperation } field => field.Field,
        IPropertyReferenceOperation { Instance: IInstanceReferenceOperation } property => property.Property,
        _ => null,
    };

    private static IOperation? Receiver(IConditionalAccessInstanceOperation instance)
    {
        for (var at = instance.Parent; at is not null; at = at.Parent)
        {
            if (at is IConditionalAccessOperation access && access.Operation.Syntax == instance.Syntax)
            {
                return access.Operation;
            }
        }
        return null;
    }
}
