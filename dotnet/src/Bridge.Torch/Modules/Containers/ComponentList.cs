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

    /// <summary>Gets or sets the module or parameter at an index.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
    public T this[int index]
    {
        get => Current[index];
        set => Change(items => items[index] = value);
    }

    /// <inheritdoc/>
    public int Count => Current.Count;

    /// <inheritdoc/>
    public bool IsReadOnly => false;

    /// <summary>Adds a module or parameter at the end.</summary>
    /// <param name="item">The module or parameter.</param>
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

    /// <summary>Adds modules or parameters at the end, usually a single one.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html#torch.nn.ModuleList.append">
    /// torch.nn.ModuleList.append</see>.
    /// </remarks>
    /// <param name="parameters">The modules or parameters, in order.</param>
    public void append(params T[] parameters)
    {
        if (parameters is [var single]) Add(single);
        else extend(parameters);
    }

    /// <summary>Adds a sequence of modules or parameters at the end.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html#torch.nn.ModuleList.extend">
    /// torch.nn.ModuleList.extend</see>.
    /// </remarks>
    /// <param name="modules">The modules or parameters, in order.</param>
    public void extend(IEnumerable<T> modules) => Change(changed => changed.AddRange(modules));

    /// <summary>Inserts a module or parameter at an index. The items from that index on get new names.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/>.</param>
    /// <param name="item">The module or parameter.</param>
    public void Insert(int index, T item) => Change(items => items.Insert(index, item));

    /// <summary>Removes the module or parameter at an index. The items after it get new names.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
    public void RemoveAt(int index) => Change(items => items.RemoveAt(index));

    /// <summary>Removes the first occurrence of a module or parameter.</summary>
    /// <param name="item">The module or parameter, which is compared by reference.</param>
    /// <returns>Whether the list had it.</returns>
    public bool Remove(T item)
    {
        var index = IndexOf(item);
        if (index >= 0) RemoveAt(index);
        return index >= 0;
    }

    /// <summary>Removes all modules or parameters of the list.</summary>
    public void Clear() => Change(items => items.Clear());

    /// <summary>Returns the index of the first occurrence of a module or parameter; -1 if the list does not have it.</summary>
    /// <param name="item">The module or parameter, which is compared by reference.</param>
    public int IndexOf(T item) => Current.FindIndex(known => ReferenceEquals(known, item));

    /// <summary>Tests whether the list has a module or parameter.</summary>
    /// <param name="item">The module or parameter, which is compared by reference.</param>
    /// <returns>Whether the list has it.</returns>
    public bool Contains(T item) => IndexOf(item) >= 0;

    /// <inheritdoc/>
    public void CopyTo(T[] array, int arrayIndex) => Current.CopyTo(array, arrayIndex);

    /// <summary>Returns an enumerator of the modules or parameters, in order.</summary>
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
