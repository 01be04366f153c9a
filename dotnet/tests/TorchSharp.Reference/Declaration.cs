using System.Collections.Immutable;

namespace TorchSharp.Reference;

/// <summary>How a type, a member or a parameter is declared. What a fact is about names it in the lines of differences.</summary>
/// <param name="Name">The name of a parameter.</param>
internal sealed record Declaration(string Name = "")
{
    /// <summary>Gets whether this is a property, which has accessors besides.</summary>
    internal bool IsProperty { get; init; }

    /// <summary>Gets facts that have to be the same.</summary>
    internal ImmutableArray<(string What, string Value)> Facts { get; init; } = [];

    /// <summary>Gets facts of which TorchSharp's have to be among Bridge.Torch's.</summary>
    internal ImmutableArray<(string What, ImmutableArray<string> Values)> Sets { get; init; } = [];

    /// <summary>Gets the type with its nullability, which has to be the same where TorchSharp's is not oblivious.</summary>
    internal MarkedType? Type { get; init; }

    /// <summary>Gets the type parameters and the parameters in order.</summary>
    internal ImmutableArray<Declaration> Parameters { get; init; } = [];
}
