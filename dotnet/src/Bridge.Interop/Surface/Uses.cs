namespace Bridge.Interop.Surface;

/// <summary>What a metadata token, or the declaration of a type or method, uses.</summary>
internal sealed class Uses
{
    /// <summary>The TorchSharp members, types and native functions that Bridge.Torch lacks, as messages name them.</summary>
    internal List<string> Missing { get; } = [];

    /// <summary>The methods that can be called.</summary>
    internal List<CheckedMethod> Methods { get; } = [];

    /// <summary>The types that .NET loads.</summary>
    internal List<CheckedType> Types { get; } = [];

    /// <summary>The types of which objects can be created.</summary>
    internal List<CheckedType> Created { get; } = [];
}

/// <summary>A TorchSharp member that Bridge.Torch lacks, and the class that uses it, with '/' before a nested class.</summary>
internal sealed record MissingMember(string Member, string Class);
