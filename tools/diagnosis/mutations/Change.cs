using Microsoft.CodeAnalysis;

namespace Diagnosis;

/// <summary>What a diagnosis has to name: sorts of findings, and words of which one of each row must stand in what it says.</summary>
/// <param name="Kinds">The sorts of findings that can state this cause.</param>
/// <param name="Words">Of each row one word.</param>
internal sealed record Cause(string[] Kinds, params string[][] Words)
{
    /// <summary>A setting of a built-in module.</summary>
    public static Cause Setting(params string[] names) => new(["setting", "latent", "names"], names);

    /// <summary>An operator that is another one, is missing, is too many or has another argument.</summary>
    public static Cause Operator(params string[][] words) => new(["operator", "raised"], words);
}

/// <summary>One node of a model's source in place of another, and where and what that is.</summary>
/// <param name="Old">The node as it is.</param>
/// <param name="New">The node to plant; as many lines as the old one.</param>
/// <param name="Cause">What a diagnosis has to name.</param>
internal sealed record Change(SyntaxNode Old, SyntaxNode New, Cause Cause)
{
    /// <summary>Children of the class that the fault is about; a part may be <c>*</c>. Empty: the class itself.</summary>
    public string[] Children { get; init; } = [];

    /// <summary>Whether the module whose class it is in may be named instead of the children.</summary>
    public bool Owner { get; init; } = true;
}

/// <summary>A kind of mistake: for a node of a model's source, what it would be replaced by.</summary>
/// <param name="Name">As the table lists it.</param>
/// <param name="At">The changes at a node, none for most.</param>
internal sealed record Kind(string Name, Func<SyntaxNode, Code, IEnumerable<Change>> At);
