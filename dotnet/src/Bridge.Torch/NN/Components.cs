using TorchSharp.Utils;

namespace Bridge.Torch;

/// <summary>Named components of a module, in the order of registration.</summary>
internal static class Components
{
    /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
    /// <exception cref="InvalidOperationException">The name is taken.</exception>
    internal static void Add<T>(OrderedDict<string, T> components, string kind, string name, T value)
    {
        Check(name, kind);
        if (components.ContainsKey(name)) throw new InvalidOperationException($"The {kind} '{name}' is already registered.");
        components.Entries.Add((name, value));
    }

    /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
    internal static void Check(string name, string kind)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('.'))
            throw new ArgumentException($"'{name}' is not a valid name of a {kind}: it is empty or contains a dot.", nameof(name));
    }
}
