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

    /// <summary>Walks a collection as PyTorch's iterator does: an entry that another one replaces meanwhile, or changes places with, is met as it is by then.</summary>
    /// <param name="begun">The entries where the walk begins.</param>
    /// <param name="now">The entries later on. Once they are more or fewer, for which PyTorch raises, the walk goes on with what it had.</param>
    internal static IEnumerator<T> Walk<T>(List<T> begun, Func<List<T>> now)
    {
        for (var i = 0; i < begun.Count; i++)
        {
            if (i > 0 && now() is var later && later.Count == begun.Count) begun = later;
            yield return begun[i];
        }
    }

    /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
    internal static void Check(string name, string kind)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('.'))
            throw new ArgumentException($"'{name}' is not a valid name of a {kind}: it is empty or contains a dot.", nameof(name));
    }
}
