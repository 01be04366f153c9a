using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace TorchSharp.Utils;

/// <summary>A dictionary that keeps the order of insertion: a list, with a hash index if there are many entries.</summary>
public class OrderedDict<TKey, TValue> : IDictionary<TKey, TValue>, IList<(TKey, TValue)>
{
    private const int MaxUnindexed = 16;

    private readonly List<(TKey Name, TValue Value)> _items = [];

    // The index of each key; null until it is needed, and after a change that may move entries or replace a key. ValueTuple allows a null
    // key.
    private Dictionary<ValueTuple<TKey>, int>? _indices;

    /// <summary>Gets the list of entries, which the caller must not change.</summary>
    internal List<(TKey Name, TValue Value)> Entries => _items;

    public int Count => _items.Count;

    public bool IsReadOnly => false;

    public ICollection<TKey> Keys => _items.Select(item => item.Name).ToList();

    public ICollection<TValue> Values => _items.Select(item => item.Value).ToList();

    public (TKey, TValue) this[int index]
    {
        get => _items[index];
        set
        {
            _indices = null;
            _items[index] = value;
        }
    }

    /// <exception cref="KeyNotFoundException">There is no such key.</exception>
    public TValue this[TKey key]
    {
        get =>
            TryGetValue(key, out var value) ? value : throw Bridge.Torch.Components.NoKey(key, Keys);
        set
        {
            var index = Find(key);
            if (index < 0) Append(key, value);
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

    /// <exception cref="ArgumentException">The key already exists.</exception>
    public void Insert(int index, (TKey, TValue) item)
    {
        if (ContainsKey(item.Item1)) throw new ArgumentException($"The key '{item.Item1}' already exists.", nameof(item));
        if (index == Count)
        {
            Append(item.Item1, item.Item2);
            return;
        }

        _indices = null;
        _items.Insert(index, item);
    }

    public void RemoveAt(int index)
    {
        _indices = null;
        _items.RemoveAt(index);
    }

    public bool Remove(TKey key) => RemoveFound(Find(key));

    public bool Remove((TKey, TValue) item) => RemoveFound(IndexOf(item));

    public bool Remove(KeyValuePair<TKey, TValue> item) => Remove(item.Key);

    public void Clear()
    {
        _indices = null;
        _items.Clear();
    }

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

    /// <summary>Appends an entry whose key is new.</summary>
    internal void Append(TKey key, TValue value)
    {
        _indices?.Add(new(key), _items.Count);
        _items.Add((key, value));
    }

    /// <summary>Returns the index of the first entry with that key; otherwise -1.</summary>
    internal int Find(TKey key)
    {
        if (_items.Count <= MaxUnindexed) return _items.FindIndex(item => EqualityComparer<TKey>.Default.Equals(item.Name, key));
        return (_indices ??= BuildIndices()).TryGetValue(new(key), out var index) ? index : -1;
    }

    private Dictionary<ValueTuple<TKey>, int> BuildIndices()
    {
        var indices = new Dictionary<ValueTuple<TKey>, int>(_items.Count);
        for (var index = 0; index < _items.Count; index++) indices.TryAdd(new(_items[index].Name), index);
        return indices;
    }

    private bool RemoveFound(int index)
    {
        if (index >= 0) RemoveAt(index);
        return index >= 0;
    }
}
