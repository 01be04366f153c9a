namespace Bridge.Hooks;

/// <summary>
/// The events of a recording, in three arrays that Python reads by their addresses: events, values and tensor sizes. Once the arrays are
/// large enough, writing allocates nothing.
/// </summary>
/// <remarks>
/// <para>A call is written as <see cref="BeginCall"/>, <see cref="Event"/> with one <c>Add…</c> per argument, the child calls, and
/// <see cref="Event"/> with one <c>Add…</c> per result. Values belong to the last event. The buffer does not track which calls are open:
/// the caller passes the enclosing call to <see cref="BeginCall"/>. So threads can share a buffer, and a call that throws needs no
/// clean-up.</para>
/// <para>An address is valid until the next write, <see cref="Clear"/> or <see cref="Dispose"/>, or until the buffer is collected.</para>
/// <para>The buffer has no locks. Threads that share it must hold a common lock during each <see cref="BeginCall"/>, and while they write
/// an event with its values.</para>
/// </remarks>
public sealed class TraceBuffer : IDisposable
{
    private readonly int _limit;
    private PinnedList<EventRecord> _events;
    private PinnedList<ValueRecord> _values;
    private PinnedList<long> _dims;
    private PinnedList<BegunCall> _calls;
    private bool _disposed;

    /// <summary>Creates an empty buffer. Memory is allocated at the first write.</summary>
    /// <param name="limit">The maximum number of events, and likewise of values, of sizes and of calls.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="limit"/> is not positive.</exception>
    public TraceBuffer(int limit = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(limit);
        _limit = Math.Min(limit, Array.MaxLength);
        _events = new("events", _limit);
        _values = new("values", _limit);
        _dims = new("tensor sizes", _limit);
        _calls = new("module calls", _limit);
    }

    /// <summary>Gets the number of module calls.</summary>
    public int Calls => _calls.Count;

    /// <summary>Gets the events in order.</summary>
    public ReadOnlySpan<EventRecord> Events => _events.Items;

    /// <summary>Gets the values of all events, event by event.</summary>
    public ReadOnlySpan<ValueRecord> Values => _values.Items;

    /// <summary>Gets the sizes of all tensors, value by value.</summary>
    public ReadOnlySpan<long> Dims => _dims.Items;

    /// <summary>Gets the address of the first <see cref="EventRecord"/>; 0 until one is written and after <see cref="Dispose"/>.</summary>
    public nint EventsAddress => _events.Address;

    /// <summary>Gets the address of the first <see cref="ValueRecord"/>; 0 until one is added and after <see cref="Dispose"/>.</summary>
    public nint ValuesAddress => _values.Address;

    /// <summary>Gets the address of the first size; 0 until one is added and after <see cref="Dispose"/>.</summary>
    public nint DimsAddress => _dims.Address;

    /// <summary>Begins a call of a module.</summary>
    /// <param name="path">The number of the module path, which the recorder assigns.</param>
    /// <param name="type">The number of the module's type, which the recorder assigns.</param>
    /// <param name="parent">The enclosing call, -1 if there is none.</param>
    /// <returns>The number of the call, counted from 0 in the order of entry.</returns>
    /// <exception cref="InvalidOperationException">The buffer is full or disposed.</exception>
    public int BeginCall(int path, int type, int parent = -1)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        var call = _calls.Count;
        _calls.Append() = new BegunCall { Path = path, Type = type, Parent = parent };
        return call;
    }

    /// <summary>Writes an event of a call.</summary>
    /// <param name="call">The number that <see cref="BeginCall"/> returned.</param>
    /// <param name="phase"><see cref="TracePhase.Pre"/> or <see cref="TracePhase.Forward"/>.</param>
    /// <param name="scope">Whether the hook is global or the module's own.</param>
    /// <param name="hook">The index of the hook in its phase and scope.</param>
    /// <exception cref="InvalidOperationException">There is no such call, or the buffer is full.</exception>
    public void Event(int call, TracePhase phase, HookScope scope = HookScope.Global, int hook = 0)
    {
        if ((uint)call >= (uint)_calls.Count)
        {
            throw new InvalidOperationException($"Call {call} was not begun in this trace buffer: begin it with BeginCall.");
        }

        ref readonly var begun = ref _calls[call];
        Write(begun.Path, begun.Type, call, begun.Parent, phase, scope, hook);
    }

    /// <summary>Writes a <see cref="TracePhase.Bypass"/> event: <c>forward()</c> was called directly, so no hook fired (C-3).</summary>
    /// <param name="path">The number of the module path, which the recorder assigns.</param>
    /// <param name="type">The number of the module's type, which the recorder assigns.</param>
    /// <param name="parent">The enclosing call, -1 if there is none.</param>
    /// <exception cref="InvalidOperationException">The buffer is full or disposed.</exception>
    public void Bypass(int path, int type, int parent = -1)
    {
        Write(path, type, -1, parent, TracePhase.Bypass, HookScope.Global, 0);
    }

    /// <summary>Adds a tensor to the last event.</summary>
    /// <param name="dtype">libtorch's number of the scalar type.</param>
    /// <param name="deviceType">libtorch's number of the device type.</param>
    /// <param name="deviceIndex">The device index, -1 for none.</param>
    /// <param name="sizes">The sizes, which are copied.</param>
    /// <param name="payload">The number by which the recorder refers to the tensor or to its digest.</param>
    /// <exception cref="InvalidOperationException">There is no event, or the buffer is full.</exception>
    public void AddTensor(sbyte dtype, int deviceType, int deviceIndex, ReadOnlySpan<long> sizes, long payload = 0)
    {
        // The room is checked before the value is added, so that a full buffer has no value without sizes.
        _dims.CheckRoom(sizes.Length);
        ref var value = ref NextValue();
        value = new ValueRecord
        {
            Kind = ValueKind.Tensor,
            Dtype = dtype,
            DeviceType = deviceType,
            DeviceIndex = deviceIndex,
            Ndim = sizes.Length,
            FirstDim = _dims.Count,
            Payload = payload,
        };
        _dims.Append(sizes);
    }

    /// <summary>Adds a null to the last event.</summary>
    /// <exception cref="InvalidOperationException">There is no event, or the buffer is full.</exception>
    public void AddNone() => AddLiteral(ValueKind.None, 0);

    /// <summary>Adds to the last event a value that is not a tensor.</summary>
    /// <param name="kind">Any kind but <see cref="ValueKind.Tensor"/>.</param>
    /// <param name="bits">
    /// For an integer, its value; for a boolean, 1 or 0; for a float, the result of <see cref="BitConverter.DoubleToInt64Bits"/>; for a
    /// string, a number that the recorder assigns. Not used for other kinds.
    /// </param>
    /// <exception cref="ArgumentException"><paramref name="kind"/> is <see cref="ValueKind.Tensor"/>.</exception>
    /// <exception cref="InvalidOperationException">There is no event, or the buffer is full.</exception>
    public void AddLiteral(ValueKind kind, long bits)
    {
        if (kind == ValueKind.Tensor)
        {
            throw new ArgumentException("A tensor is not a literal: use AddTensor.", nameof(kind));
        }

        NextValue() = new ValueRecord
        {
            Kind = kind,
            Dtype = -1,
            DeviceType = -1,
            DeviceIndex = -1,
            FirstDim = _dims.Count,
            Payload = bits,
        };
    }

    /// <summary>Removes all events and calls, and keeps the memory.</summary>
    public void Clear()
    {
        _events.Clear();
        _values.Clear();
        _dims.Clear();
        _calls.Clear();
    }

    /// <summary>Frees the memory. Addresses are invalid afterwards, and writing throws.</summary>
    public void Dispose()
    {
        _disposed = true;
        _events.Release();
        _values.Release();
        _dims.Release();
        _calls.Release();
    }

    /// <summary>Writes an event with these numbers. The call need not have begun in this buffer.</summary>
    /// <exception cref="InvalidOperationException">The buffer is full or disposed.</exception>
    internal void Write(int path, int type, int call, int parent, TracePhase phase, HookScope scope, int hook)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        ref var record = ref _events.Append();
        record.Path = path;
        record.Type = type;
        record.Call = call;
        record.Parent = parent;
        record.Hook = hook;
        record.Phase = phase;
        record.Scope = scope;
        record.Reserved = 0;
        record.FirstValue = _values.Count;
        record.ValueCount = 0;
    }

    private ref ValueRecord NextValue()
    {
        if (_events.Count == 0)
        {
            throw new InvalidOperationException("There is no event to add a value to: write an event first.");
        }

        ref var value = ref _values.Append();
        _events[_events.Count - 1].ValueCount++;
        return ref value;
    }

    private struct BegunCall
    {
        public int Path;
        public int Type;
        public int Parent;
    }
}
