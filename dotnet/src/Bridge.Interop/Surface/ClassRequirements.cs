namespace Bridge.Interop.Surface;

/// <summary>The TorchSharp members and the classes that a class uses directly.</summary>
internal sealed class ClassRequirements
{
    /// <summary>The used TorchSharp members, types and native functions that Bridge.Torch lacks.</summary>
    internal SortedSet<string> Missing { get; } = new(StringComparer.Ordinal);

    /// <summary>The keys (<see cref="Key"/>) of the used classes.</summary>
    internal HashSet<string> Classes { get; } = [];

    /// <summary>Returns a key for a class of an assembly.</summary>
    internal static string Key(string assembly, string name) => $"{assembly}|{name}";
}

/// <summary>A TorchSharp member that Bridge.Torch lacks, and a class that uses it.</summary>
internal sealed record MissingMember(string Member, string Class);
