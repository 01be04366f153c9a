using System.Collections;
using System.Globalization;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// A list of modules or parameters. Items are registered under their positions, "0", "1", …, and again at each change of the list.
/// </summary>
/// <remarks>
/// The list has no <c>forward</c>: it cannot be called, and hooks of the list never fire (I-16). Items that are added later, when the list
/// is already a child of a module, are registered too, as in PyTorch but not in TorchSharp.
/// </remarks>
/// <typeparam name="T">The type of the items.</typeparam>
public abstract class ComponentList<T> : torch.nn.Module, IList<T> where T : class
{
    // Changes replace the list, so that a running enumeration goes on. But Add appends in place while the module has no Python mirror.
    private volatile List<T> _items = [];

    private protected ComponentList(string name, IEnumerable<T> items) : base(name) => extend(items);

    public T this[int index]
    {
        get => Current[index];
        set => Change(items => items[index] = value);
    }

    public int Count => Current.Count;

    public bool IsReadOnly => false;

    public void Add(T item)
    {
        var items = _items;
        if (!HasOnlyEntries(items.Count))
        {
            Change(items => items.Add(item));
            return;
        }

        RegisterEntry(Name(items.Count), item);
        items.Add(item);
    }

    public void append(params T[] parameters)
    {
        if (parameters is [var single]) Add(single);
        else extend(parameters);
    }

    public void extend(IEnumerable<T> modules) => Change(changed => changed.AddRange(modules));

    public void Insert(int index, T item) => Change(items => items.Insert(index, item));

    public void RemoveAt(int index) => Change(items => items.RemoveAt(index));

    public bool Remove(T item)
    {
        var index = IndexOf(item);
        if (index >= 0) RemoveAt(index);
        return index >= 0;
    }

    public void Clear() => Change(items => items.Clear());

    public int IndexOf(T item) => Current.FindIndex(known => ReferenceEquals(known, item));

    public bool Contains(T item) => IndexOf(item) >= 0;

    public void CopyTo(T[] array, int arrayIndex) => Current.CopyTo(array, arrayIndex);

    public IEnumerator<T> GetEnumerator() => Components.Walk(this, () => Current, () => _items).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal override Type? EntryType => typeof(T);

    internal override void SetEntriesFromPython(IReadOnlyList<(string Name, object? Value)> entries)
    {
        var own = OwnComponents(_items);
        Put(entries.Where(item => !own.Contains(item.Name)).Select(item => (T)item.Value!).ToList(), _items);
    }

    // Synchronizes with Python first. Other modules are synchronized when they are called, but a collection is never called.
    private List<T> Current
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

    private static IEnumerable<(string Name, T Value)> Named(IEnumerable<T> items) => items.Select((item, i) => (Name(i), item));

    private static string Name(int index) => index.ToString(CultureInfo.InvariantCulture);

    // Returns the names of the components that a derived class has registered itself.
    private HashSet<string> OwnComponents(List<T> items) =>
        _internal_submodules.Keys.Concat(_internal_params.Keys).Except(Named(items).Select(item => item.Name)).ToHashSet();

    private void Change(Action<List<T>> change)
    {
        var before = Current;
        var changed = before.ToList();
        change(changed);
        Check(Named(changed).ToList());
        Publish(() => Put(changed, before), () => Put(before, changed));
    }

    private void Put(List<T> items, List<T> before)
    {
        RegisterEntries(Named(items), Named(before).Select(item => item.Name));
        _items = items;
    }
}
