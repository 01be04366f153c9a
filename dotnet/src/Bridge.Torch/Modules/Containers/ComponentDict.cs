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

    public (string, T) this[int index]
    {
        get => Current[index];
        set => Change(items => items[index] = value);
    }

    public int Count => Current.Count;

    public bool IsReadOnly => false;

    public ICollection<string> Keys => Part(item => item.Name);

    public ICollection<T> Values => Part(item => item.Value);

    public IEnumerable<string> keys() => Keys;

    public IEnumerable<T> values() => Values;

    public IEnumerator<(string, T)> items() => GetEnumerator();

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

    public void Add(string key, T value) => Add((key, value));

    public void Add(KeyValuePair<string, T> item) => Add(item.Key, item.Value);

    public void Insert(int index, (string, T) item) => Change(items => items.Insert(index, item));

    public void RemoveAt(int index) => Change(items => items.RemoveAt(index));

    public bool Remove(string key) => RemoveFound(Find(key));

    public bool Remove((string, T) item) => RemoveFound(IndexOf(item));

    public bool Remove(KeyValuePair<string, T> item) => Remove((item.Key, item.Value));

    public void Clear() => Change(items => items.Clear());

    public void clear() => Clear();

    public bool ContainsKey(string key) => Find(key) >= 0;

    public bool Contains((string, T) item) => IndexOf(item) >= 0;

    public bool Contains(KeyValuePair<string, T> item) => Contains((item.Key, item.Value));

    public int IndexOf((string, T) item) =>
        Current.FindIndex(known => known.Name == item.Item1 && ReferenceEquals(known.Value, item.Item2));

    public bool TryGetValue(string key, [MaybeNullWhen(false)] out T value)
    {
        var index = Find(key);
        value = index < 0 ? null : Current[index].Value;
        return index >= 0;
    }

    public void CopyTo((string, T)[] array, int arrayIndex) => Current.CopyTo(array, arrayIndex);

    public void CopyTo(KeyValuePair<string, T>[] array, int arrayIndex) => Current.Select(Pair).ToList().CopyTo(array, arrayIndex);

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
