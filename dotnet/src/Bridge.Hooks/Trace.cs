namespace Bridge.Hooks;

/// <summary>
/// Where a recording writes its events: three arrays of fixed layout that the other side reads in one go, through their
/// addresses. Once warm, writing allocates nothing.
/// </summary>
/// <remarks>
/// <para>A call: <see cref="BeginCall"/>, <see cref="Event"/>, one <c>Add…</c> per value, the call's children,
/// <see cref="Event"/> with one <c>Add…</c> per result, <see cref="EndCall"/>. Values belong to the last event. Put the end
/// into a finally: where it is skipped, the next event or end of an enclosing call makes up for it, but a call begun before that
/// takes the dead one for its parent.</para>
/// <para>An address is good until the next write, <see cref="Clear"/> or <see cref="Dispose"/>, while the buffer is alive.</para>
/// <para>A buffer belongs to one thread at a time; it has no locks.</para>
/// </remarks>
public sealed class TraceBuffer : IDisposable
{
    private readonly int _limit;
    private PinnedList<EventRecord> _events;
    private PinnedList<ValueRecord> _values;
    private PinnedList<long> _dims;
    private PinnedList<OpenCall> _open;
    private bool _disposed;

    /// <summary>An empty buffer; memory comes with the first event and doubles when it is full.</summary>
    /// <param name="limit">The most events, values, dims and calls, each; never beyond the largest array (2^31 or so).</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="limit"/> is not positive.</exception>
    public TraceBuffer(int limit = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(limit);
        _limit = Math.Min(limit, Array.MaxLength);
        _events = new("events", _limit);
        _values = new("values", _limit);
        _dims = new("tensor sizes", _limit);
        _open = new("open calls", _limit);
    }

    /// <summary>The number of module calls begun.</summary>
    public int Calls { get; private set; }

    /// <summary>The number of calls that are open now.</summary>
    public int Depth => _open.Count;

    /// <summary>The innermost open call, -1 when none is.</summary>
    public int CurrentCall => _open.Count == 0 ? -1 : _open[_open.Count - 1].Call;

    /// <summary>The events in order.</summary>
    public ReadOnlySpan<EventRecord> Events => _events.Items;

    /// <summary>The values of all events, event by event.</summary>
    public ReadOnlySpan<ValueRecord> Values => _values.Items;

    /// <summary>The sizes of all tensors, value by value.</summary>
    public ReadOnlySpan<long> Dims => _dims.Items;

    /// <summary>The address of the first <see cref="EventRecord"/>, 0 when there never was one.</summary>
    public nint EventsAddress => _events.Address;

    /// <summary>The address of the first <see cref="ValueRecord"/>, 0 when there never was one.</summary>
    public nint ValuesAddress => _values.Address;

    /// <summary>The address of the first dim, 0 when there never was one.</summary>
    public nint DimsAddress => _dims.Address;


    /// <summary>A module is entered.</summary>
    /// <param name="path">The module path, as a number of the recording side.</param>
    /// <param name="type">The module's type, as a number of the recording side.</param>
    /// <returns>The number of the call, counted from 0 in the order of entry.</returns>
    /// <exception cref="InvalidOperationException">The buffer is full.</exception>
    public int BeginCall(int path, int type)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (Calls == _limit)
        {
            throw new InvalidOperationException(
                $"The trace buffer is full: it counted {_limit:N0} module calls. Drain it and Clear() it more often.");
        }

        var parent = CurrentCall;
        var call = Calls++;
        _open.Append() = new OpenCall { Path = path, Type = type, Call = call, Parent = parent };
        return call;
    }

    /// <summary>
    /// A module is left, by a result or by an exception. Calls inside it that were not ended, since an exception passed through
    /// them, end with it; a call that ended already is left alone.
    /// </summary>
    public void EndCall(int call)
    {
        var index = FindOpen(call);
        if (index >= 0)
        {
            _open.Truncate(index);
        }
    }

    /// <summary>Writes an event of an open call. Calls inside it that were not ended end (an exception passed through them).</summary>
    /// <param name="call">What <see cref="BeginCall"/> returned.</param>
    /// <param name="phase"><see cref="TracePhase.Pre"/> or <see cref="TracePhase.Forward"/>.</param>
    /// <param name="scope">Whose hook it is.</param>
    /// <param name="hook">The hook's place in its phase and scope.</param>
    /// <exception cref="InvalidOperationException">The call is not open, or the buffer is full.</exception>
    public void Event(int call, TracePhase phase, HookScope scope = HookScope.Global, int hook = 0)
    {
        var index = FindOpen(call);
        if (index < 0)
        {
            throw new InvalidOperationException(
                $"Call {call} is not open in this trace buffer: begin it with BeginCall, and write its events before EndCall.");
        }

        _open.Truncate(index + 1);
        ref readonly var open = ref _open[index];
        Write(open.Path, open.Type, call, open.Parent, phase, scope, hook);
    }

    /// <summary>Writes a <see cref="TracePhase.Bypass"/> event: <c>forward()</c> was run by hand, so no hook fired (C-3).</summary>
    /// <param name="path">The module path, as a number of the recording side.</param>
    /// <param name="type">The module's type, as a number of the recording side.</param>
    /// <exception cref="InvalidOperationException">The buffer is full.</exception>
    public void Bypass(int path, int type)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        Write(path, type, -1, CurrentCall, TracePhase.Bypass, HookScope.Global, 0);
    }

    /// <summary>Adds a tensor to the last event.</summary>
    /// <param name="dtype">The scalar type by libtorch's number.</param>
    /// <param name="deviceType">The device type by libtorch's number.</param>
    /// <param name="deviceIndex">The device index, -1 for none.</param>
    /// <param name="sizes">The sizes, copied.</param>
    /// <param name="payload">A number by which the recording side finds the tensor or its digest, 0 for none.</param>
    /// <exception cref="InvalidOperationException">There is no event, or the buffer is full.</exception>
    public void AddTensor(sbyte dtype, int deviceType, int deviceIndex, ReadOnlySpan<long> sizes, long payload = 0)
    {
        // First what can throw, so that a full buffer holds no half-written value.
        _dims.CheckRoom(sizes.Length);
        ref var value = ref NextValue();
        value = new ValueRecord
        {
            Kind = ValueKind.Tensor,
            DType = dtype,
            DeviceType = deviceType,
            DeviceIndex = deviceIndex,
            NDim = sizes.Length,
            FirstDim = _dims.Count,
            Payload = payload,
        };
        _dims.Append(sizes);
    }

    /// <summary>Adds a null to the last event.</summary>
    /// <exception cref="InvalidOperationException">There is no event, or the buffer is full.</exception>
    public void AddNone() => AddLiteral(ValueKind.None, 0);

    /// <summary>Adds a value without sizes to the last event.</summary>
    /// <param name="kind">Any kind but <see cref="ValueKind.Tensor"/>.</param>
    /// <param name="bits">The payload (<see cref="BitConverter.DoubleToInt64Bits"/> for a float).</param>
    /// <exception cref="ArgumentException"><paramref name="kind"/> is a tensor.</exception>
    /// <exception cref="InvalidOperationException">There is no event, or the buffer is full.</exception>
    public void AddLiteral(ValueKind kind, long bits)
    {
        if (kind == ValueKind.Tensor)
        {
            throw new ArgumentException("A tensor is no literal: use AddTensor.", nameof(kind));
        }

        NextValue() = new ValueRecord
        {
            Kind = kind,
            DType = -1,
            DeviceType = -1,
            DeviceIndex = -1,
            FirstDim = _dims.Count,
            Payload = bits,
        };
    }

    /// <summary>Forgets events, open calls and the count of calls; keeps the memory.</summary>
    public void Clear()
    {
        _events.Clear();
        _values.Clear();
        _dims.Clear();
        _open.Clear();
        Calls = 0;
    }

    /// <summary>Gives the memory back; every address is void then, and writing throws.</summary>
    public void Dispose()
    {
        _disposed = true;
        Calls = 0;
        _events.Release();
        _values.Release();
        _dims.Release();
        _open.Release();
    }

    // From the innermost outwards: it is nearly always that one. Numbers ascend with the depth.
    private int FindOpen(int call)
    {
        var index = _open.Count - 1;
        while (index >= 0 && _open[index].Call > call)
        {
            index--;
        }

        return index >= 0 && _open[index].Call == call ? index : -1;
    }

    private void Write(int path, int type, int call, int parent, TracePhase phase, HookScope scope, int hook)
    {
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

    private struct OpenCall
    {
        public int Path;
        public int Type;
        public int Call;
        public int Parent;
    }
}
