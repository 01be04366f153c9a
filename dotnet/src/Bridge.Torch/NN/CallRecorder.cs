using System.Collections.Concurrent;
using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>One recording: module calls written into a buffer that Python drains in one go; no callback is made.</summary>
/// <remarks>
/// <para>An event has the place of the last global hook of its phase. Where Python listens on a module its call is PyTorch's to make, and
/// Python's own recorder writes the same event into the same buffer, so there is one order.</para>
/// <para>Which calls a recording sees is not a property of the thread: several recordings may be under way on one thread (asyncio), and one
/// may see several threads (a <c>forward</c> that starts tasks). <see cref="RecordedPlace"/> tells where a thread is.</para>
/// <para>A lock keeps an event and its values together. What can run foreign code, such as copying a tensor, happens before it is taken.</para>
/// </remarks>
internal sealed class CallRecorder : IDisposable
{
    private static readonly ConcurrentDictionary<long, CallRecorder> All = new();
    private static int _active;
    private static long _last;

    private readonly object _gate = new();
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
        Interlocked.Increment(ref _active);
    }

    /// <summary>How many recordings there are in the process: the one word that a call without any has to read.</summary>
    internal static int Active => Volatile.Read(ref _active);

    /// <summary>Clones of recorded tensors, when values were asked for; a record's payload is the index here.</summary>
    internal List<torch.Tensor> Kept { get; } = [];

    /// <summary>Recorded strings; a record's payload is the index here.</summary>
    internal List<string> Texts { get; } = [];

    /// <summary>The events. Python reads them after <see cref="End"/>.</summary>
    internal TraceBuffer Buffer { get; } = new();

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
    /// <param name="arguments">The arguments.</param>
    /// <returns>The number of the call, -1 when the recording has ended.</returns>
    internal int Begin<T>(int module, int parent, T arguments)
    {
        if (!_values && arguments is torch.Tensor tensor)
        {
            using var form = new RecordedTensor(tensor);
            lock (_gate)
            {
                if (_ended) return -1;
                var call = Buffer.BeginCall(module, 0, parent);
                Buffer.Event(call, TracePhase.Pre);
                form.Write(Buffer);
                return call;
            }
        }

        using var leaves = RecordedLeaves.Of(arguments, _values);
        lock (_gate)
        {
            if (_ended) return -1;
            var call = Buffer.BeginCall(module, 0, parent);
            Buffer.Event(call, TracePhase.Pre);
            leaves.Write(this);
            return call;
        }
    }

    /// <summary>The module's <c>forward</c> has a result.</summary>
    internal void Result<T>(int call, T result)
    {
        if (!_values && result is torch.Tensor tensor)
        {
            using var form = new RecordedTensor(tensor);
            lock (_gate)
            {
                if (_ended) return;
                Buffer.Event(call, TracePhase.Forward);
                form.Write(Buffer);
                return;
            }
        }

        using var leaves = RecordedLeaves.Of(result, _values);
        lock (_gate)
        {
            if (_ended) return;
            Buffer.Event(call, TracePhase.Forward);
            leaves.Write(this);
        }
    }

    /// <summary>Somebody ran a built-in's <c>forward</c> itself.</summary>
    internal void Bypass(int module, int parent, torch.Tensor result)
    {
        using var leaves = RecordedLeaves.Of(result, _values);
        lock (_gate)
        {
            if (_ended) return;
            Buffer.Bypass(module, 0, parent);
            leaves.Write(this);
        }
    }

    /// <summary>From now on nothing is written: threads that go on after the recording do not disturb who reads it.</summary>
    internal void End()
    {
        lock (_gate) _ended = true;
    }

    /// <summary>Ends the recording and frees what it keeps.</summary>
    public void Dispose()
    {
        End();
        if (!All.TryRemove(_number, out _)) return;
        Interlocked.Decrement(ref _active);
        foreach (var tensor in Kept) tensor.Dispose();
        Buffer.Dispose();
    }

    /// <summary>Stops a recording by its number; one that was stopped before stays so.</summary>
    internal static void Stop(long number)
    {
        if (All.TryGetValue(number, out var found)) found.Dispose();
    }
}
