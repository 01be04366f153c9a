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

    /// <inheritdoc/>
    public int Count => _items.Count;

    /// <inheritdoc/>
    public bool IsReadOnly => false;

    /// <summary>Gets a new list of the keys, in order.</summary>
    public ICollection<TKey> Keys => _items.Select(item => item.Name).ToList();

    /// <summary>Gets a new list of the values, in order.</summary>
    public ICollection<TValue> Values => _items.Select(item => item.Value).ToList();

    /// <summary>Gets or sets the entry at an index.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
    public (TKey, TValue) this[int index]
    {
        get => _items[index];
        set
        {
            _indices = null;
            _items[index] = value;
        }
    }

    /// <summary>Gets or sets the value of a key. Setting adds a new key at the end.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="KeyNotFoundException">The value is read, and there is no such key.</exception>
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

    /// <summary>Removes all entries, as <see cref="Clear"/> does.</summary>
    public void clear() => Clear();

    /// <summary>Returns an enumerator of the entries, as <see cref="GetEnumerator"/> does.</summary>
    public IEnumerator<(TKey, TValue)> items() => GetEnumerator();

    /// <summary>Returns a new list of the keys, as <see cref="Keys"/> does.</summary>
    public IEnumerable<TKey> keys() => Keys;

    /// <summary>Returns a new list of the values, as <see cref="Values"/> does.</summary>
    public IEnumerable<TValue> values() => Values;

    /// <summary>Adds an entry at the end.</summary>
    /// <param name="item">The key and the value.</param>
    /// <exception cref="ArgumentException">The key already exists.</exception>
    public void Add((TKey, TValue) item) => Insert(Count, item);

    /// <summary>Adds an entry at the end.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <exception cref="ArgumentException">The key already exists.</exception>
    public void Add(TKey key, TValue value) => Add((key, value));

    /// <summary>Adds an entry at the end.</summary>
    /// <param name="item">The key and the value.</param>
    /// <exception cref="ArgumentException">The key already exists.</exception>
    public void Add(KeyValuePair<TKey, TValue> item) => Add((item.Key, item.Value));

    /// <summary>Inserts an entry at an index.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/>.</param>
    /// <param name="item">The key and the value.</param>
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

    /// <summary>Removes the entry at an index.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
    public void RemoveAt(int index)
    {
        _indices = null;
        _items.RemoveAt(index);
    }

    /// <summary>Removes the entry of a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there was such a key.</returns>
    public bool Remove(TKey key) => RemoveFound(Find(key));

    /// <summary>Removes the first entry with an equal key and value.</summary>
    /// <param name="item">The key and the value.</param>
    /// <returns>Whether there was such an entry.</returns>
    public bool Remove((TKey, TValue) item) => RemoveFound(IndexOf(item));

    /// <summary>Removes the entry of a key, whatever its value: TorchSharp does not compare the value, either.</summary>
    /// <param name="item">The key; the value has no effect.</param>
    /// <returns>Whether there was such a key.</returns>
    public bool Remove(KeyValuePair<TKey, TValue> item) => Remove(item.Key);

    /// <summary>Removes all entries.</summary>
    public void Clear()
    {
        _indices = null;
        _items.Clear();
    }

    /// <summary>Tests whether there is an entry with a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there is such an entry.</returns>
    public bool ContainsKey(TKey key) => Find(key) >= 0;

    /// <summary>Tests whether there is an entry with an equal key and value.</summary>
    /// <param name="item">The key and the value.</param>
    /// <returns>Whether there is such an entry.</returns>
    public bool Contains((TKey, TValue) item) => _items.Contains(item);

    /// <summary>Tests whether there is an entry with a key, whatever its value: TorchSharp does not compare the value, either.</summary>
    /// <param name="item">The key; the value has no effect.</param>
    /// <returns>Whether there is such an entry.</returns>
    public bool Contains(KeyValuePair<TKey, TValue> item) => ContainsKey(item.Key);

    /// <summary>Returns the index of the first entry with an equal key and value; -1 if there is none.</summary>
    /// <param name="item">The key and the value.</param>
    public int IndexOf((TKey, TValue) item) => _items.IndexOf(item);

    /// <inheritdoc/>
    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        var index = Find(key);
        value = index < 0 ? default : _items[index].Value;
        return index >= 0;
    }

    /// <inheritdoc/>
    public void CopyTo((TKey, TValue)[] array, int arrayIndex) => _items.CopyTo(array, arrayIndex);

    /// <inheritdoc/>
    public void CopyTo(KeyValuePair<TKey, TValue>[] array, int arrayIndex) => _items.Select(Pair).ToList().CopyTo(array, arrayIndex);

    /// <summary>Returns an enumerator of the entries, in order.</summary>
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
