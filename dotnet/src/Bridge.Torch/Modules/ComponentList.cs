using System.Collections;
using System.Globalization;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Modules or parameters in a list. They are registered under "0", "1", … as soon as they are in it, and again at each change.</summary>
/// <remarks>
/// It has no <c>forward</c>: it cannot be called and its own hooks never fire, but those of its items do (I-16).
/// What TorchSharp leaves unregistered, an item that is added after the list itself was registered, is registered here, as in PyTorch.
/// </remarks>
/// <typeparam name="T">What it holds.</typeparam>
public abstract class ComponentList<T> : torch.nn.Module, IList<T> where T : class
{
    private readonly List<T> _items = [];

    private protected ComponentList(string name, IEnumerable<T> items) : base(name) => extend(items);

    public T this[int index]
    {
        get => Current[index];
        set => Change(items => items[index] = value);
    }

    public int Count => _items.Count;

    public bool IsReadOnly => false;

    public void Add(T item) => Change(items => items.Add(item));

    /// <summary>Adds at the end.</summary>
    public void append(params T[] items) => extend(items);

    /// <summary>Adds at the end.</summary>
    public void extend(IEnumerable<T> items) => Change(mine => mine.AddRange(items));

    public void Insert(int index, T item) => Change(items => items.Insert(index, item));

    public void RemoveAt(int index) => Change(items => items.RemoveAt(index));

    public bool Remove(T item)
    {
        var index = IndexOf(item);
        if (index >= 0) RemoveAt(index);
        return index >= 0;
    }

    public void Clear() => Change(items => items.Clear());

    public int IndexOf(T item) => _items.FindIndex(known => ReferenceEquals(known, item));

    public bool Contains(T item) => IndexOf(item) >= 0;

    public void CopyTo(T[] array, int arrayIndex) => _items.CopyTo(array, arrayIndex);

    public IEnumerator<T> GetEnumerator() => Current.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    // A collection is never called, so parameters are updated to what Python has here.
    private List<T> Current
    {
        get
        {
            Link?.Prepare();
            return _items;
        }
    }

    private void Change(Action<List<T>> change)
    {
        var changed = _items.ToList();
        change(changed);
        Replace(changed.Select((item, i) => (i.ToString(CultureInfo.InvariantCulture), item)).ToList());
        _items.Clear();
        _items.AddRange(changed);
    }
}
