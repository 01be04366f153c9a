using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace TorchSharp.Utils;

/// <summary>Entries by key that keep the order in which they were added. Few entries: a list, searched from the front.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public class OrderedDict<TKey, TValue> : IDictionary<TKey, TValue>, IList<(TKey, TValue)>
{
    private readonly List<(TKey Name, TValue Value)> _items = [];

    /// <summary>The entries themselves.</summary>
    internal List<(TKey Name, TValue Value)> Entries => _items;

    public int Count => _items.Count;

    public bool IsReadOnly => false;

    public ICollection<TKey> Keys => _items.Select(item => item.Name).ToList();

    public ICollection<TValue> Values => _items.Select(item => item.Value).ToList();

    public (TKey, TValue) this[int index]
    {
        get => _items[index];
        set => _items[index] = value;
    }

    /// <exception cref="KeyNotFoundException">There is no such key.</exception>
    public TValue this[TKey key]
    {
        get => TryGetValue(key, out var value) ? value : throw new KeyNotFoundException($"'{key}' is not one of {string.Join(", ", Keys)}.");
        set
        {
            var index = Find(key);
            if (index < 0) _items.Add((key, value));
            else _items[index] = (key, value);
        }
    }

    public void clear() => Clear();

    public IEnumerator<(TKey, TValue)> items() => GetEnumerator();

    public IEnumerable<TKey> keys() => Keys;

    public IEnumerable<TValue> values() => Values;

    public void Add((TKey, TValue) item) => Insert(Count, item);

    public void Add(TKey key, TValue value) => Add((key, value));

    public void Add(KeyValuePair<TKey, TValue> item) => Add((item.Key, item.Value));

    /// <exception cref="ArgumentException">The key is there already.</exception>
    public void Insert(int index, (TKey, TValue) item)
    {
        if (ContainsKey(item.Item1)) throw new ArgumentException($"The key '{item.Item1}' is there already.", nameof(item));
        _items.Insert(index, item);
    }

    public void RemoveAt(int index) => _items.RemoveAt(index);

    public bool Remove(TKey key)
    {
        var index = Find(key);
        if (index >= 0) _items.RemoveAt(index);
        return index >= 0;
    }

    public bool Remove((TKey, TValue) item) => _items.Remove(item);

    public bool Remove(KeyValuePair<TKey, TValue> item) => Remove(item.Key);

    public void Clear() => _items.Clear();

    public bool ContainsKey(TKey key) => Find(key) >= 0;

    public bool Contains((TKey, TValue) item) => _items.Contains(item);

    public bool Contains(KeyValuePair<TKey, TValue> item) => ContainsKey(item.Key);

    public int IndexOf((TKey, TValue) item) => _items.IndexOf(item);

    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        var index = Find(key);
        value = index < 0 ? default : _items[index].Value;
        return index >= 0;
    }

    public void CopyTo((TKey, TValue)[] array, int arrayIndex) => _items.CopyTo(array, arrayIndex);

    public void CopyTo(KeyValuePair<TKey, TValue>[] array, int arrayIndex) => _items.Select(Pair).ToList().CopyTo(array, arrayIndex);

    public IEnumerator<(TKey, TValue)> GetEnumerator() => _items.GetEnumerator();

    IEnumerator<KeyValuePair<TKey, TValue>> IEnumerable<KeyValuePair<TKey, TValue>>.GetEnumerator() => _items.Select(Pair).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static KeyValuePair<TKey, TValue> Pair((TKey Name, TValue Value) item) => new(item.Name, item.Value);

    private int Find(TKey key) => _items.FindIndex(item => EqualityComparer<TKey>.Default.Equals(item.Name, key));
}
