using System.Collections;
using System.Collections.ObjectModel;
using TorchSharp;
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
        components.Append(name, value);
    }

    /// <summary>
    /// Walks a collection as PyTorch's iterator does: an entry that another one replaces meanwhile, or changes places with, is met as it is by then.
    /// Once there are more or fewer, for which PyTorch raises, the walk goes on with what it had.
    /// </summary>
    /// <param name="collection">What has the entries.</param>
    /// <param name="begin">The entries; asked for where the walk begins.</param>
    /// <param name="known">The entries that C# has.</param>
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

    /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
    internal static void Check(string name, string kind)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('.', StringComparison.Ordinal))
            throw new ArgumentException($"'{name}' is not a valid name of a {kind}: it is empty or contains a dot.", nameof(name));
    }
}

/// <summary>The keys or values of a collection: as many as there are now, but who walks them meets what is there when its turn comes.</summary>
internal sealed class LiveCollection<T>(IEnumerable<T> walk, List<T> now) : ReadOnlyCollection<T>(now), IEnumerable<T>
{
    IEnumerator<T> IEnumerable<T>.GetEnumerator() => walk.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => walk.GetEnumerator();
}
