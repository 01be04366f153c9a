namespace Bridge.TorchSharp.Analyzers;

/// <summary>Finds the call that registers a lambda as a hook.</summary>
internal static class Hooks
{
    /// <summary>Returns the call that registers the lambda around <paramref name="inner"/> as a hook.</summary>
    internal static IInvocationOperation? RegistrationOf(IOperation inner, IMethodSymbol lambda)
    {
        var at = inner.Parent;
        while (at is not null && !SymbolEqualityComparer.Default.Equals((at as IAnonymousFunctionOperation)?.Symbol, lambda))
        {
            at = at.Parent;
        }
        return at is null ? null : RegistrationOf(at);
    }

    /// <summary>Returns the call that registers the lambda as a hook.</summary>
    internal static IInvocationOperation? RegistrationOf(IOperation lambda)
    {
        var at = lambda.Parent;
        while (at is IDelegateCreationOperation or IConversionOperation or IParenthesizedOperation or IArgumentOperation)
        {
            at = at.Parent;
        }
        return at is IInvocationOperation call && TorchSymbols.AddsHook(call.TargetMethod) ? call : null;
    }
}
