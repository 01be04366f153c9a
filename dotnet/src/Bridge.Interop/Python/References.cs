namespace Bridge.Interop;

/// <summary>A borrowed reference: other code keeps the Python object alive.</summary>
internal readonly ref struct BorrowedReference
{
    /// <summary>The object's address; zero for a null reference.</summary>
    internal readonly IntPtr Address;

    internal BorrowedReference(IntPtr address) => Address = address;

    internal bool IsNull => Address == IntPtr.Zero;

    public static bool operator ==(BorrowedReference left, BorrowedReference right) => left.Address == right.Address;

    public static bool operator !=(BorrowedReference left, BorrowedReference right) => left.Address != right.Address;

    public override bool Equals(object? obj) => throw new NotSupportedException();

    public override int GetHashCode() => throw new NotSupportedException();

    /// <summary>Returns an owned reference to the same object. Do not call this on a null reference.</summary>
    internal OwnedReference NewReference()
    {
        Python.IncRef(this);
        return new(Address);
    }
}

/// <summary>An owned reference to a Python object. Disposing it, with the GIL held, releases the reference.</summary>
internal ref struct OwnedReference : IDisposable
{
    private IntPtr _address;

    internal OwnedReference(IntPtr address) => _address = address;

    internal readonly bool IsNull => _address == IntPtr.Zero;

    internal readonly BorrowedReference Borrow() => new(_address);

    /// <summary>Returns the address and sets this value to null: the caller now owns the reference.</summary>
    internal IntPtr Steal()
    {
        var address = _address;
        _address = IntPtr.Zero;
        return address;
    }

    public void Dispose()
    {
        var address = Steal();
        if (address != IntPtr.Zero) Python.DecRef(address);
    }
}

/// <summary>The positional arguments of a call to a Python function, as owned references in memory that the caller provides.</summary>
internal unsafe ref struct OwnedArguments : IDisposable
{
    private readonly Span<IntPtr> _items;
    private int _count;

    internal OwnedArguments(Span<IntPtr> items) => _items = items;

    /// <summary>Appends an argument and steals its reference.</summary>
    internal void Add(OwnedReference item) => _items[_count++] = item.Steal();

    /// <summary>Calls a Python function with the arguments.</summary>
    /// <exception cref="PythonException">The function raised.</exception>
    internal readonly OwnedReference Call(BorrowedReference function)
    {
        fixed (IntPtr* first = _items) return Python.Call(function, (BorrowedReference*)first, _count);
    }

    /// <summary>Calls a Python function with the arguments; returns null, with the error pending, if the function raised.</summary>
    internal readonly OwnedReference TryCall(BorrowedReference function)
    {
        fixed (IntPtr* first = _items) return Python.TryCall(function, (BorrowedReference*)first, _count);
    }

    public void Dispose()
    {
        while (_count > 0) Python.DecRef(_items[--_count]);
    }
}
