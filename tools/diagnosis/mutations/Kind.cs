using Microsoft.CodeAnalysis;

namespace Diagnosis;

/// <summary>A kind of mistake: the changes that make it at a node, none at most nodes.</summary>
internal sealed record Kind(string Name, Func<Site, IEnumerable<Change>> At)
{
    /// <summary>A kind of one rule or several, each with one change at a node, or none.</summary>
    public static Kind By(string name, params Func<Site, Change?>[] rules) =>
        new(name, site => rules.Select(rule => rule(site)).OfType<Change>());

    /// <summary>A kind whose mistakes are in code that <c>forward</c> runs.</summary>
    public static Kind Running(string name, params Func<Site, Change?>[] rules) =>
        By(name, [.. rules.Select(rule => (Func<Site, Change?>)(site => site.Runs ? rule(site) : null))]);
}

/// <summary>
/// A node in place of another. A diagnosis explains it by a finding of one of the sorts <c>Findings</c>, in which one word of each row of
/// <c>Words</c> stands; the words of a row are separated by <c>|</c>.
/// </summary>
internal sealed record Change(SyntaxNode Old, SyntaxNode New, params string[] Words)
{
    public Change(SyntaxNode old, string text, params string[] words) : this(old, Site.Parse(text), words)
    {
    }

    public string[] Findings { get; init; } = ["operator", "raised"];

    /// <summary>Paths of the children with the mistake, in which a part may be <c>*</c>.</summary>
    public string[] Children { get; init; } = [];

    /// <summary>Whether a diagnosis may also name the module whose class has the mistake.</summary>
    public bool Owner { get; init; } = true;

    /// <summary>A change of one child, which a diagnosis has to name.</summary>
    public static Change OfChild(string child, SyntaxNode old, SyntaxNode changed, string words) =>
        new(old, changed, words) { Findings = ["setting", "latent", "names"], Children = [child], Owner = false };
}
