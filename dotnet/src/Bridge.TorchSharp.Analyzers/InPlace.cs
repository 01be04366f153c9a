namespace Bridge.TorchSharp.Analyzers;

/// <summary>Recognizes methods that change a tensor and return the same object.</summary>
internal static class InPlace
{
    /// <summary>Has the methods of TorchSharp 0.107 that return a new object in spite of their names.</summary>
    internal static readonly ImmutableHashSet<string> New = ImmutableHashSet.Create(
        "clamp_max_", "clamp_min_", "elu_", "gelu_", "lgamma_", "tril_", "triu_", "zero_");

    /// <summary>Returns the tensor that the value is, behind any number of in-place methods; null if there is no such method.</summary>
    internal static IOperation? Tensor(IOperation value)
    {
        IOperation? found = null;
        while (Values.Unwrap(value) is IInvocationOperation call && Changed(call) is { } changed)
        {
            found = value = Values.Unwrap(changed);
        }
        return found;
    }

    /// <summary>Returns whether a method of a tensor with this name returns the tensor itself.</summary>
    internal static bool IsName(string name) =>
        name.EndsWith("_", StringComparison.Ordinal) && !name.EndsWith("__", StringComparison.Ordinal) && !New.Contains(name);

    private static IOperation? Changed(IInvocationOperation call)
    {
        var method = call.TargetMethod;
        if (!IsName(method.Name) || !TorchSymbols.IsTensor(method.ReturnType))
        {
            return null;
        }
        if (!method.IsStatic)
        {
            return TorchSymbols.IsTensor(method.ContainingType) ? call.Instance : null;
        }
        var ours = method.ContainingType.ToDisplayString() is "TorchSharp.torch" or "TorchSharp.torch.nn.init";
        return ours ? call.Arguments.FirstOrDefault(argument => argument.Parameter?.Ordinal == 0)?.Value : null;
    }
}
