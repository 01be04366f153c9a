using System.Collections.Concurrent;
using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>A recording of module calls, in a buffer that Python reads when the recording has ended.</summary>
/// <remarks>
/// <para>The start of a call is recorded after the global forward pre hooks and before the module's own. The result of <c>forward</c> is
/// recorded after the global forward hooks and before the module's own. For a call that Python dispatches, Python's recorder writes into
/// the same buffer, so all events are in one order.</para>
/// <para>A recording is not bound to one thread: several recordings may run on one thread (asyncio), and one recording may observe several
/// threads (a <c>forward</c> that starts tasks). <see cref="RecordedFrame"/> is a thread's position in a recording.</para>
/// <para>A lock keeps an event and its values together. Steps that may run foreign code, such as copying a tensor, come before the lock is
/// taken.</para>
/// </remarks>
internal sealed class CallRecorder : IDisposable
{
    // Short recordings reuse one buffer: allocating pinned memory can make the garbage collector collect the entire heap.
    private const int MaxSpareLength = 1 << 16;
    private static readonly ConcurrentDictionary<long, CallRecorder> All = new();
    private static TraceBuffer? _spare;
    private static int _active;
    private static long _lastNumber;

    // Held for about ten nanoseconds; a monitor would cost more. Exit needs no memory barrier: the write that releases the lock is
    // volatile, so the next thread that takes the lock sees all earlier writes.
    private SpinLock _gate = new(enableThreadOwnerTracking: false);
    private readonly HashSet<int> _modules;
    private readonly long _number;
    private bool _ended;

    /// <summary>Starts a recording.</summary>
    /// <param name="modules">The ids of the modules whose calls are recorded even if no recorded call encloses them.</param>
    /// <param name="values">Whether to keep a copy of each tensor as it is at the event.</param>
    private CallRecorder(HashSet<int> modules, bool values)
    {
        _modules = modules;
        KeepsValues = values;
        _number = Interlocked.Increment(ref _lastNumber);
        All[_number] = this;
        ListenerCount.Increment();
        Interlocked.Increment(ref _active);
    }

    /// <summary>Gets the number of recordings in the process that are not disposed.</summary>
    internal static int Active => Volatile.Read(ref _active);

    /// <summary>Gets the copies of recorded tensors, if values are kept. The buffer refers to them by index.</summary>
    internal List<torch.Tensor> Kept { get; } = [];

    /// <summary>Gets the recorded strings. The buffer refers to them by index.</summary>
    internal List<string> Texts { get; } = [];

    /// <summary>Gets the events, which Python reads after <see cref="End"/>.</summary>
    internal TraceBuffer Buffer { get; } = Interlocked.Exchange(ref _spare, null) ?? new();

    /// <summary>Gets whether a copy of each tensor is kept as it is at the event.</summary>
    internal bool KeepsValues { get; }

    internal bool Ended => Volatile.Read(ref _ended);

    /// <inheritdoc cref="CallRecorder(HashSet{int}, bool)"/>
    /// <returns>The number of the recording, for <see cref="Get"/>.</returns>
    internal static long Start(HashSet<int> modules, bool values) => new CallRecorder(modules, values)._number;

    /// <summary>Returns a recording by its number.</summary>
    /// <exception cref="InvalidOperationException">The recording was stopped.</exception>
    internal static CallRecorder Get(long number) =>
        All.TryGetValue(number, out var found)
            ? found
            : throw new InvalidOperationException($"Recording {number} has already been stopped.");

    /// <summary>Returns a recording by its number; null if it was stopped, for instance during a hook on another thread.</summary>
    internal static CallRecorder? Find(long number) => All.GetValueOrDefault(number);

    /// <summary>Returns whether calls of the module with that id are recorded even if no recorded call encloses them.</summary>
    internal bool Knows(int module) => _modules.Contains(module);

    /// <summary>Records the start of a call.</summary>
    /// <param name="module">The id of a C# module, or the number of a Python module.</param>
    /// <param name="parent">The number of the enclosing call; -1 if no recorded call encloses this call.</param>
    /// <param name="arguments">The argument, or a tuple or list of the arguments.</param>
    /// <returns>The number of the call; -1 if the recording has ended.</returns>
    internal int Begin(int module, int parent, object? arguments) => Write(TracePhase.Pre, module, parent, arguments);

    /// <summary>Records the start of a call with one tensor, in a recording that keeps no values.</summary>
    internal int Begin(int module, int parent, in RecordedTensor argument) => Write(TracePhase.Pre, module, parent, argument);

    /// <summary>Records the result of a call's <c>forward</c>.</summary>
    internal void Result(int call, object? result) => Write(TracePhase.Forward, call, -1, result);

    /// <summary>Records a result that is one tensor, in a recording that keeps no values.</summary>
    internal void Result(int call, in RecordedTensor result) => Write(TracePhase.Forward, call, -1, result);

    /// <summary>Records a direct call of a built-in's <c>forward</c>.</summary>
    internal void Bypass(int module, int parent, torch.Tensor result) => Write(TracePhase.Bypass, module, parent, result);

    // The id is the call's number for a result, otherwise the module's. Returns the call's number; -1 for a bypass or an ended recording.
    private int Write(TracePhase phase, int id, int parent, object? value)
    {
        if (KeepsValues || value is not torch.Tensor tensor) return WriteValues(phase, id, parent, value);
        using var lease = tensor.Lease();
        return Write(phase, id, parent, new RecordedTensor(lease.Handle));
    }

    private int Write(TracePhase phase, int id, int parent, in RecordedTensor form)
    {
        var taken = false;
        try
        {
            _gate.Enter(ref taken);
            if (_ended) return -1;
            var call = Event(phase, id, parent);
            form.Write(Buffer);
            return call;
        }
        finally
        {
            if (taken) _gate.Exit(useMemoryBarrier: false);
        }
    }

    private int WriteValues(TracePhase phase, int id, int parent, object? value)
    {
        using var recorded = RecordedValues.Of(value, KeepsValues);
        var taken = false;
        try
        {
            _gate.Enter(ref taken);
            if (_ended) return -1;
            var call = Event(phase, id, parent);
            recorded.Write(this);
            return call;
        }
        finally
        {
            if (taken) _gate.Exit(useMemoryBarrier: false);
        }
    }

    private int Event(TracePhase phase, int id, int parent)
    {
        switch (phase)
        {
            case TracePhase.Bypass:
                Buffer.Bypass(id, 0, parent);
                return -1;
            case TracePhase.Pre:
                id = Buffer.BeginCall(id, 0, parent);
                break;
        }

        Buffer.Event(id, phase);
        return id;
    }

    /// <summary>Ends the recording: threads that are still inside calls no longer write to the buffer.</summary>
    internal void End()
    {
        var taken = false;
        try
        {
            _gate.Enter(ref taken);
            _ended = true;
        }
        finally
        {
            if (taken) _gate.Exit(useMemoryBarrier: true);
        }
    }

    /// <summary>Ends the recording and frees its copies.</summary>
    public void Dispose()
    {
        End();
        if (!All.TryRemove(_number, out _)) return;
        Interlocked.Decrement(ref _active);
        ListenerCount.Decrement();
        foreach (var tensor in Kept) tensor.Dispose();
        if (Buffer.Events.Length + Buffer.Values.Length + Buffer.Dims.Length > MaxSpareLength)
        {
            Buffer.Dispose();
            return;
        }

        Buffer.Clear();
        Volatile.Write(ref _spare, Buffer);
    }

    /// <summary>Disposes the recording with that number, unless it is already disposed.</summary>
    internal static void Stop(long number)
    {
        if (All.TryGetValue(number, out var found)) found.Dispose();
    }
}
