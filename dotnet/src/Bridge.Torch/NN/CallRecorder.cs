using System.Collections.Concurrent;
using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>One recording: module calls written into a buffer that Python drains in one go; no callback is made.</summary>
/// <remarks>
/// <para>An event has the place of the last global hook of its phase. Where Python listens on a module its call is PyTorch's to make, and
/// Python's own recorder writes the same event into the same buffer, so there is one order.</para>
/// <para>Which calls a recording sees is not a property of the thread: several recordings may be under way on one thread (asyncio), and one
/// may see several threads (a <c>forward</c> that starts tasks). <see cref="RecordedFrame"/> tells where a thread is.</para>
/// <para>A lock keeps an event and its values together. What can run foreign code, such as copying a tensor, happens before it is taken.</para>
/// </remarks>
internal sealed class CallRecorder : IDisposable
{
    // Recordings of a few calls, which tests make by the hundred, use one buffer in turn: memory that is never moved is paid for with
    // collections of the entire heap.
    private const int SmallEnough = 1 << 16;
    private static readonly ConcurrentDictionary<long, CallRecorder> All = new();
    private static TraceBuffer? _spare;
    private static int _active;
    private static long _last;

    // Held for some ten nanoseconds; a monitor would cost more than what it guards. Its word is volatile: leaving is a release, without a barrier too.
    private SpinLock _gate = new(enableThreadOwnerTracking: false);
    private readonly HashSet<int> _modules;
    private readonly bool _values;
    private readonly long _number;
    private bool _ended;

    /// <summary>Starts a recording.</summary>
    /// <param name="modules">The modules, by id, whose calls are recorded also where no recorded call encloses them.</param>
    /// <param name="values">Keep a copy of every tensor, as it was at the event.</param>
    private CallRecorder(HashSet<int> modules, bool values)
    {
        _modules = modules;
        _values = values;
        _number = Interlocked.Increment(ref _last);
        All[_number] = this;
        ListenerCount.Increment();
        Interlocked.Increment(ref _active);
    }

    /// <summary>How many recordings there are in the process: the one word that a call without any has to read.</summary>
    internal static int Active => Volatile.Read(ref _active);

    /// <summary>Clones of recorded tensors, when values were asked for; a record's payload is the index here.</summary>
    internal List<torch.Tensor> Kept { get; } = [];

    /// <summary>Recorded strings; a record's payload is the index here.</summary>
    internal List<string> Texts { get; } = [];

    /// <summary>The events. Python reads them after <see cref="End"/>.</summary>
    internal TraceBuffer Buffer { get; } = Interlocked.Exchange(ref _spare, null) ?? new();

    /// <summary>Nothing is written any more.</summary>
    internal bool Ended => Volatile.Read(ref _ended);

    /// <inheritdoc cref="CallRecorder(HashSet{int}, bool)"/>
    /// <returns>The number by which <see cref="Get"/> finds it.</returns>
    internal static long Start(HashSet<int> modules, bool values) => new CallRecorder(modules, values)._number;

    /// <summary>A recording by its number.</summary>
    /// <exception cref="InvalidOperationException">It was stopped.</exception>
    internal static CallRecorder Get(long number) =>
        All.TryGetValue(number, out var found) ? found : throw new InvalidOperationException($"Recording {number} was stopped before.");

    /// <summary>The same, null when it was stopped: a hook that another thread runs may come a moment later.</summary>
    internal static CallRecorder? Find(long number) => All.GetValueOrDefault(number);

    /// <summary>Whether a call of the module is recorded where no recorded call encloses it.</summary>
    internal bool Knows(int module) => _modules.Contains(module);

    /// <summary>A module is called.</summary>
    /// <param name="module">The module's id, or the number of a Python module.</param>
    /// <param name="parent">The enclosing call, -1 at a root.</param>
    /// <param name="arguments">The arguments: one, or a tuple or list of them.</param>
    /// <returns>The number of the call, -1 when the recording has ended.</returns>
    internal int Begin(int module, int parent, object? arguments) => Write(TracePhase.Pre, module, parent, arguments);

    /// <summary>The module's <c>forward</c> has a result.</summary>
    internal void Result(int call, object? result) => Write(TracePhase.Forward, call, -1, result);

    /// <summary>Somebody ran a built-in's <c>forward</c> itself.</summary>
    internal void Bypass(int module, int parent, torch.Tensor result) => Write(TracePhase.Bypass, module, parent, result);

    // Where: the module's id, and for a result the call.
    private int Write(TracePhase phase, int id, int parent, object? value)
    {
        if (_values || value is not torch.Tensor tensor) return WriteValues(phase, id, parent, value);
        using var form = new RecordedTensor(tensor);
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
        using var recorded = RecordedValues.Of(value, _values);
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

    /// <summary>From now on nothing is written: threads that go on after the recording do not disturb who reads it.</summary>
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

    /// <summary>Ends the recording and frees what it keeps.</summary>
    public void Dispose()
    {
        End();
        if (!All.TryRemove(_number, out _)) return;
        Interlocked.Decrement(ref _active);
        ListenerCount.Decrement();
        foreach (var tensor in Kept) tensor.Dispose();
        if (Buffer.Events.Length + Buffer.Values.Length + Buffer.Dims.Length > SmallEnough)
        {
            Buffer.Dispose();
            return;
        }

        Buffer.Clear();
        Volatile.Write(ref _spare, Buffer);
    }

    /// <summary>Stops a recording by its number; one that was stopped before stays so.</summary>
    internal static void Stop(long number)
    {
        if (All.TryGetValue(number, out var found)) found.Dispose();
    }
}
