using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace TorchSharp.Utils;

/// <summary>A dictionary that keeps its order. Only the generic enumerator works (rule 59).</summary>
internal sealed class OrderedDict<TKey, TValue> : IEnumerable<(TKey, TValue)>
    where TKey : notnull
{
    private readonly List<(TKey Key, TValue Value)> _items = [];

    internal int Count => _items.Count;

    internal bool ContainsKey(TKey key) => _items.Exists(item => item.Key.Equals(key));

    internal bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        var index = _items.FindIndex(item => item.Key.Equals(key));
        value = index < 0 ? default : _items[index].Value;
        return index >= 0;
    }

    internal void Add(TKey key, TValue value)
    {
        if (ContainsKey(key)) throw new ArgumentException($"The key {key} is there already.");
        _items.Add((key, value));
    }

    internal void Remove(TKey key) => _items.RemoveAll(item => item.Key.Equals(key));

    public IEnumerator<(TKey, TValue)> GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => throw new NotImplementedException();
}
