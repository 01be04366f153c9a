using System.Collections;

namespace Bridge.Torch;

/// <summary>Named components in the order of registration. Few entries: a list, searched from the front.</summary>
internal sealed class Components<T>(string kind) : IEnumerable<(string Name, T Value)> where T : class
{
    private readonly List<(string Name, T Value)> _items = [];

    internal int Count => _items.Count;

    /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
    /// <exception cref="InvalidOperationException">The name is taken.</exception>
    internal void Add(string name, T value)
    {
        Check(name, kind);
        if (Find(name) is not null) throw new InvalidOperationException($"The {kind} '{name}' is already registered.");
        _items.Add((name, value));
    }

    /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
    internal static void Check(string name, string kind)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('.'))
            throw new ArgumentException($"'{name}' is not a valid name of a {kind}: it is empty or contains a dot.", nameof(name));
    }

    internal T? Find(string name)
    {
        foreach (var (known, value) in _items)
            if (known == name) return value;
        return null;
    }

    internal bool Remove(string name) => _items.RemoveAll(item => item.Name == name) > 0;

    public List<(string Name, T Value)>.Enumerator GetEnumerator() => _items.GetEnumerator();

    IEnumerator<(string Name, T Value)> IEnumerable<(string Name, T Value)>.GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => _items.GetEnumerator();
}
