namespace Bridge.Interop.Surface;

/// <summary>What a class needs by itself.</summary>
internal sealed class ClassNeeds
{
    /// <summary>Members of TorchSharp that Bridge.Torch lacks.</summary>
    internal SortedSet<string> Missing { get; } = new(StringComparer.Ordinal);

    /// <summary>Other classes, by <see cref="Key"/>.</summary>
    internal HashSet<string> Classes { get; } = [];

    /// <summary>A class of an assembly as one text.</summary>
    internal static string Key(string assembly, string name) => $"{assembly}|{name}";
}

/// <summary>A member of TorchSharp that Bridge.Torch lacks, and the class that uses it.</summary>
internal sealed record Lack(string Member, string Class);
