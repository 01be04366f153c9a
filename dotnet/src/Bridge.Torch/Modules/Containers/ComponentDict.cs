using System.Collections;
using System.Diagnostics.CodeAnalysis;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// A dictionary of modules or parameters in the order of insertion. An entry is registered under its key as soon as it is added.
/// </summary>
/// <remarks>The dictionary has no <c>forward</c> (I-16); see <see cref="ComponentList{T}"/>.</remarks>
/// <typeparam name="T">The type of the values.</typeparam>
public abstract class ComponentDict<T> : torch.nn.Module, IDictionary<string, T>, IList<(string, T)> where T : class
{
    // Changes replace the list, so that a running enumeration goes on. But Add appends in place while the module has no Python mirror.
    private volatile List<(string Name, T Value)> _items = [];

    private protected ComponentDict(string name) : base(name) { }

    /// <summary>Gets or sets the module or parameter under a key. Setting adds the key at the end if there is none.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="KeyNotFoundException">There is no such key.</exception>
    public T this[string key]
    {
        get =>
            TryGetValue(key, out var value) ? value : throw Components.NoKey(key, Keys);
        set
        {
            var index = Find(key);
            if (index < 0) Add(key, value);
            else this[index] = (key, value);
        }
    }

    /// <summary>Gets or sets the key and value at an index.</summary>
    /// <param name="index">The index in the order of insertion, from 0 to <see cref="Count"/> - 1.</param>
    public (string, T) this[int index]
    {
        get => Current[index];
        set => Change(items => items[index] = value);
    }

    /// <inheritdoc/>
    public int Count => Current.Count;

    /// <inheritdoc/>
    public bool IsReadOnly => false;

    /// <summary>Gets the keys, in the order of insertion.</summary>
    public ICollection<string> Keys => Part(item => item.Name);

    /// <summary>Gets the modules or parameters, in the order of insertion.</summary>
    public ICollection<T> Values => Part(item => item.Value);

    /// <summary>Returns the keys, as <see cref="Keys"/> does.</summary>
    public IEnumerable<string> keys() => Keys;

    /// <summary>Returns the modules or parameters, as <see cref="Values"/> does.</summary>
    public IEnumerable<T> values() => Values;

    /// <summary>Returns an enumerator of the keys and values, as <see cref="GetEnumerator"/> does.</summary>
    public IEnumerator<(string, T)> items() => GetEnumerator();

    /// <summary>Adds a pair of a key and a module or parameter at the end.</summary>
    /// <param name="item">The key and the module or parameter.</param>
    public void Add((string, T) item)
    {
        var items = _items;
        if (!HasOnlyEntries(items.Count) || item.Item1 is null || FindComponent(item.Item1) >= 0)
        {
            Change(items => items.Add(item));
            return;
        }

        RegisterEntry(item.Item1, item.Item2);
        items.Add(item);
    }

    /// <summary>Adds a module or parameter at the end, under a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The module or parameter.</param>
    public void Add(string key, T value) => Add((key, value));

    /// <summary>Adds a pair of a key and a module or parameter at the end.</summary>
    /// <param name="item">The key and the module or parameter.</param>
    public void Add(KeyValuePair<string, T> item) => Add(item.Key, item.Value);

    /// <summary>Inserts a pair of a key and a module or parameter at an index.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/>.</param>
    /// <param name="item">The key and the module or parameter.</param>
    public void Insert(int index, (string, T) item) => Change(items => items.Insert(index, item));

    /// <summary>Removes the module or parameter at an index, with its key.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
    public void RemoveAt(int index) => Change(items => items.RemoveAt(index));

    /// <summary>Removes the module or parameter under a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there was such a key.</returns>
    public bool Remove(string key) => RemoveFound(Find(key));

    /// <summary>Removes a pair of a key and a module or parameter.</summary>
    /// <param name="item">The key and the module or parameter, which is compared by reference.</param>
    /// <returns>Whether there was such a pair.</returns>
    public bool Remove((string, T) item) => RemoveFound(IndexOf(item));

    /// <summary>Removes a pair of a key and a module or parameter.</summary>
    /// <param name="item">The key and the module or parameter, which is compared by reference.</param>
    /// <returns>Whether there was such a pair.</returns>
    public bool Remove(KeyValuePair<string, T> item) => Remove((item.Key, item.Value));

    /// <summary>Removes all modules or parameters of the dictionary.</summary>
    public void Clear() => Change(items => items.Clear());

    /// <summary>Removes all modules or parameters of the dictionary, as <see cref="Clear"/> does.</summary>
    public void clear() => Clear();

    /// <summary>Tests whether a module or parameter has a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there is such a key.</returns>
    public bool ContainsKey(string key) => Find(key) >= 0;

    /// <summary>Tests whether the dictionary has a pair of a key and a module or parameter.</summary>
    /// <param name="item">The key and the module or parameter, which is compared by reference.</param>
    /// <returns>Whether there is such a pair.</returns>
    public bool Contains((string, T) item) => IndexOf(item) >= 0;

    /// <summary>Tests whether the dictionary has a pair of a key and a module or parameter.</summary>
    /// <param name="item">The key and the module or parameter, which is compared by reference.</param>
    /// <returns>Whether there is such a pair.</returns>
    public bool Contains(KeyValuePair<string, T> item) => Contains((item.Key, item.Value));

    /// <summary>Returns the index of a pair of a key and a module or parameter; -1 if there is no such pair.</summary>
    /// <param name="item">The key and the module or parameter, which is compared by reference.</param>
    public int IndexOf((string, T) item) =>
        Current.FindIndex(known => known.Name == item.Item1 && ReferenceEquals(known.Value, item.Item2));

    /// <summary>Gets the module or parameter under a key, if there is one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The module or parameter; null if there is no such key.</param>
    /// <returns>Whether there is such a key.</returns>
    public bool TryGetValue(string key, [MaybeNullWhen(false)] out T value)
    {
        var index = Find(key);
        value = index < 0 ? null : Current[index].Value;
        return index >= 0;
    }

    /// <inheritdoc/>
    public void CopyTo((string, T)[] array, int arrayIndex) => Current.CopyTo(array, arrayIndex);

    /// <inheritdoc/>
    public void CopyTo(KeyValuePair<string, T>[] array, int arrayIndex) => Current.Select(Pair).ToList().CopyTo(array, arrayIndex);

    /// <summary>Returns an enumerator of the keys and values, in the order of insertion.</summary>
    public IEnumerator<(string, T)> GetEnumerator() => Walk().GetEnumerator();

    IEnumerator<KeyValuePair<string, T>> IEnumerable<KeyValuePair<string, T>>.GetEnumerator() => Walk().Select(Pair).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal override Type? EntryType => typeof(T);

    internal override void SetEntriesFromPython(IReadOnlyList<(string Name, object? Value)> entries)
    {
        // The names of the components that a derived class has registered itself.
        var own = _internal_submodules.Keys.Concat(_internal_params.Keys).Except(_items.Select(item => item.Name)).ToHashSet();
        Put(entries.Where(item => !own.Contains(item.Name)).Select(item => (item.Name, (T)item.Value!)).ToList(), _items);
    }

    // Synchronizes with Python first. Other modules are synchronized when they are called, but a collection is never called.
    private List<(string Name, T Value)> Current
    {
        get
        {
            if (Link is { } link)
            {
                link.RefreshEntries();
                link.Prepare();
            }

            return _items;
        }
    }

    private IEnumerable<(string Name, T Value)> Walk() => Components.Walk(this, () => Current, () => _items);

    private LiveCollection<TPart> Part<TPart>(Func<(string Name, T Value), TPart> part) =>
        new(Walk().Select(part), [.. Current.Select(part)]);

    private static KeyValuePair<string, T> Pair((string Name, T Value) item) => new(item.Name, item.Value);

    private int Find(string key) => HasOnlyEntries(_items.Count) ? FindComponent(key) : Current.FindIndex(item => item.Name == key);

    private bool RemoveFound(int index)
    {
        if (index >= 0) RemoveAt(index);
        return index >= 0;
    }

    private void Change(Action<List<(string Name, T Value)>> change)
    {
        var before = Current;
        var changed = before.ToList();
        change(changed);
        Check(changed);
        Publish(() => Put(changed, before), () => Put(before, changed));
    }

    private void Put(List<(string Name, T Value)> items, List<(string Name, T Value)> before)
    {
        RegisterEntries(items, before.Select(item => item.Name));
        _items = items;
    }
}
