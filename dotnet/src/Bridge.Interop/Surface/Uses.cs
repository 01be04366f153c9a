namespace Bridge.Interop.Surface;

/// <summary>The methods and types that a metadata token, or the declaration of a type or method, uses.</summary>
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

/// <summary>A TorchSharp member, type or native function that Bridge.Torch lacks, and the class that uses it.</summary>
/// <param name="Member">The member, type or native function, as messages name it.</param>
/// <param name="Class">The name of the class, with '/' before a nested class.</param>
internal sealed record MissingMember(string Member, string Class);
