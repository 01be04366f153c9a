using System.Collections;
using System.Collections.ObjectModel;
using TorchSharp;
using TorchSharp.Utils;

namespace Bridge.Torch;

/// <summary>Functions on the named components of a module: children, parameters and buffers.</summary>
internal static class Components
{
    /// <exception cref="ArgumentException">
    /// The name is empty, or a part of it between dots is empty, or it is a module's name and contains a dot.
    /// </exception>
    /// <exception cref="InvalidOperationException">The name is already registered.</exception>
    internal static void Add<T>(OrderedDict<string, T> components, string kind, string name, T value)
    {
        if (typeof(T) == typeof(torch.nn.Module)) Check(name, kind);
        else CheckParts(name, kind);
        if (components.ContainsKey(name)) throw new InvalidOperationException($"The {kind} '{name}' is already registered.");
        components.Append(name, value);
    }

    /// <summary>
    /// Enumerates a Sequential, list or dictionary of components as PyTorch's iterator does: if an entry is replaced during the
    /// enumeration, the new entry is returned. If the number of entries changes, PyTorch raises an error, but this method goes on with the
    /// entries that it read before the change.
    /// </summary>
    /// <param name="collection">The collection.</param>
    /// <param name="begin">Returns the entries when the enumeration starts.</param>
    /// <param name="known">Returns the entries without asking Python.</param>
    internal static IEnumerable<T> Walk<T>(torch.nn.Module collection, Func<List<T>> begin, Func<List<T>> known)
    {
        var entries = begin();
        var count = entries.Count;
        for (var i = 0; i < count; i++)
        {
            if (i > 0)
            {
                collection.Link?.RefreshUnlessCollected();
                if (known() is var later && later.Count == count) entries = later;
            }

            yield return entries[i];
        }
    }

    /// <summary>Returns the exception for a key that a dictionary lacks.</summary>
    internal static KeyNotFoundException NoKey<TKey>(TKey key, ICollection<TKey> keys) => new(keys.Count == 0
        ? $"There is no key '{key}': the dictionary is empty." : $"'{key}' is not one of {string.Join(", ", keys)}.");

    /// <exception cref="ArgumentException">The name is empty or contains a dot.</exception>
    internal static void Check(string name, string kind)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('.', StringComparison.Ordinal))
            throw new ArgumentException($"'{name}' is not a valid name of a {kind}: it is empty or contains a dot.", nameof(name));
    }

    // A tensor's name may contain dots, as in `weight.original0`: each part is an attribute in Python.
    private static void CheckParts(string name, string kind)
    {
        if (string.IsNullOrEmpty(name) || name.Split('.').Contains(""))
            throw new ArgumentException($"'{name}' is not a valid name of a {kind}: it or a part of it is empty.", nameof(name));
    }
}

/// <summary>
/// The keys or values of a dictionary of components. The count is fixed at creation, but an enumeration reads the current entries.
/// </summary>
internal sealed class LiveCollection<T>(IEnumerable<T> walk, List<T> now) : ReadOnlyCollection<T>(now), IEnumerable<T>
{
    IEnumerator<T> IEnumerable<T>.GetEnumerator() => walk.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => walk.GetEnumerator();
}
