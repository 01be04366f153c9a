using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.Hooks;

/// <summary>A growing array that the garbage collector never moves, so that Python can read it by its address.</summary>
/// <remarks>The array is on the pinned object heap. Its address is valid until the list grows or is released.</remarks>
internal struct PinnedList<T>(string itemName, int limit)
    where T : unmanaged
{
    private const int MinCapacity = 64;
    private T[] _items = [];

    public int Count { get; private set; }

    public readonly nint Address => _items.Length == 0 ? 0 : Marshal.UnsafeAddrOfPinnedArrayElement(_items, 0);

    public readonly ref T this[int index] => ref _items[index];

    public readonly ReadOnlySpan<T> Items => _items.AsSpan(0, Count);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T Append()
    {
        var index = Count;
        if (index == _items.Length)
        {
            Grow(1);
        }

        Count = index + 1;
        return ref _items[index];
    }

    public void Append(ReadOnlySpan<T> items)
    {
        if (items.Length > _items.Length - Count)
        {
            Grow(items.Length);
        }

        items.CopyTo(_items.AsSpan(Count));
        Count += items.Length;
    }

    /// <summary>Throws if <paramref name="more"/> additional items would exceed the limit.</summary>
    public readonly void CheckRoom(int more)
    {
        if (more > limit - Count)
        {
            throw new InvalidOperationException(
                $"The trace buffer is full: it holds {Count:N0} {itemName}, its limit is {limit:N0}. Read and Clear() it more often, "
                    + "or record fewer modules.");
        }
    }

    public void Clear() => Count = 0;

    public void Release()
    {
        _items = [];
        Count = 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(int more)
    {
        CheckRoom(more);
        var capacity = Math.Max((long)Count + more, Math.Max(MinCapacity, 2L * _items.Length));
        var grown = GC.AllocateUninitializedArray<T>((int)Math.Min(capacity, limit), pinned: true);
        Items.CopyTo(grown);
        _items = grown;
    }
}
