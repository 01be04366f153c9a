using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Records the module calls of a TorchSharp model, in the program that runs the model, and writes them to a trace file.</summary>
/// <remarks>
/// <para><c>using var trace = HookTrace.Record(model, "run.jsonl");</c> adds a hook before and a hook after the <c>forward</c> of every
/// module that can be hooked, in front of all other hooks. <see cref="Dispose"/> removes the added hooks and writes the file, which
/// <c>python -m bridge diff</c> compares with the trace of the PyTorch original.</para>
/// <para>An event has what PyTorch's last global hook would see: the arguments before the module's own pre hooks, and the result before its
/// own forward hooks. A tensor is recorded by shape, element type and device. <see cref="TraceValues"/> can add a digest of the
/// tensor's elements, or the digest and the elements.</para>
/// <para>An outermost call on a thread is a root call, even if a module's <c>forward</c> started the thread.</para>
/// </remarks>
public sealed class HookTrace : IDisposable, ICallListenerFactory
{
    private readonly string _file;
    private readonly EventCounter _order = new();
    private readonly bool _digests;
    private readonly Elements? _elements;
    private readonly ThreadLocal<ThreadRecording> _thread;
    private readonly List<ThreadRecording> _allThreads = [];
    private readonly List<ModuleNode> _nodes = [];
    private readonly ModelAttachment _attachment;
    private readonly TraceHeader _header;
    private readonly Func<int, Type> _classOf;
    private readonly object _saveLock = new();
    private long _count;
    private string? _savedFile;

    // The value of _thread in this thread's last recording: a thread-static field is read faster than a ThreadLocal.
    [ThreadStatic]
    private static ThreadRecording? _last;

    private HookTrace(object model, string file, TraceValues values)
    {
        _file = file;
        _digests = values != TraceValues.None;
        _elements = values == TraceValues.Full ? new() : null;
        _thread = new(AddThread);
        _classOf = number => _nodes[number].Module.GetType();
        _attachment = new(model);
        _header = TraceHeaderFactory.Create(_attachment, values);
        _attachment.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += OnException;
    }

    /// <summary>
    /// Gets the modules that are not recorded: those that cannot be hooked, such as <c>ModuleList</c>, and those that were registered after
    /// the recording began.
    /// </summary>
    public IReadOnlyList<UnhookedModule> Unhooked => _attachment.Unhooked;

    /// <summary>
    /// Gets the paths of hooked modules that were not called although a descendant was. Such a module was run by <c>forward</c>, which
    /// fires no hook (clause C-3 of docs/contract.md), or by another method; or other code called the descendant directly. Descendants
    /// that the module shares with another parent do not count: that parent may have called them. The root's path is empty.
    /// </summary>
    public IReadOnlyList<string> Bypassed => Uncalled(calledBelow: true);

    /// <summary>
    /// Gets the paths of hooked modules that were not called and are not in <see cref="Bypassed"/>. Such a module was not used, or was run
    /// by <c>forward</c>, which fires no hook (C-3), or by another method. The root's path is empty.
    /// </summary>
    public IReadOnlyList<string> NotCalled => Uncalled(calledBelow: false);

    /// <summary>Starts recording.</summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c> of TorchSharp itself.</param>
    /// <param name="file">The file to write, or a link to that file. An old file is replaced when the recording is disposed.</param>
    /// <param name="values">The data to record of tensors' elements. With Digest or Full, the file also has digests of the weights.</param>
    /// <returns>The recording, which has to be disposed to write the file and to remove the hooks.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="model"/> is not a module of TorchSharp, or <paramref name="file"/> is empty.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// <paramref name="model"/> runs on Bridge.Torch, or on an unknown version of TorchSharp.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The file's folder does not exist.</exception>
    /// <exception cref="IOException">The path is a folder, a device, a pipe or a socket, or leads through too many links.</exception>
    public static HookTrace Record(object model, string file, TraceValues values = TraceValues.None)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        var full = Path.GetFullPath(file);
        AtomicFile.Resolve(full);
        if (values == TraceValues.Full) AtomicFile.Resolve(Elements.ValuesFile(full));
        return new(model, full, values);
    }

    /// <summary>Removes the hooks and writes the file, unless that was done before. Later calls are not recorded.</summary>
    /// <remarks>
    /// If the file cannot be written, an old file stays unchanged and the recording is kept: call this method again, or <see cref="Save"/>.
    /// While another exception is propagating, or a <c>catch</c> block is running, the error is not thrown but written to standard error.
    /// Throwing it would replace the other exception.
    /// </remarks>
    /// <exception cref="IOException">The file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written for lack of permission.</exception>
    public void Dispose()
    {
        // .NET has no other way to tell whether an exception is propagating on this thread.
        var propagating = Marshal.GetExceptionPointers() != 0;
        try
        {
            lock (_saveLock)
            {
                if (_savedFile is null) Write(_file);
            }
        }
        catch (Exception exception) when (propagating)
        {
            Console.Error.WriteLine($"The recording could not be written to {_file}: {exception.Message}");
        }
    }

    /// <summary>Removes the hooks and writes the recording to another file, for instance after <see cref="Dispose"/> has failed.</summary>
    /// <param name="file">The file to write instead; an old file is replaced.</param>
    /// <exception cref="ArgumentException"><paramref name="file"/> is empty.</exception>
    /// <exception cref="InvalidOperationException">The recording was written already.</exception>
    /// <exception cref="IOException">The file cannot be written; the recording is kept.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written for lack of permission; the recording is kept.</exception>
    public void Save(string file)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        lock (_saveLock)
        {
            if (_savedFile is { } saved)
                throw new InvalidOperationException($"The recording was written to {saved} already, and its events are no longer kept.");
            Write(Path.GetFullPath(file));
        }
    }

    private void Write(string file)
    {
        if (_order.End() is >= 0 and var given)
        {
            _count = given;
            AppDomain.CurrentDomain.FirstChanceException -= OnException;
            _attachment.Dispose();
        }

        ThreadRecording[] threads;
        lock (_allThreads) threads = [.. _allThreads];
        // Waits for events that have a number but are not in their thread's log yet, which takes nanoseconds.
        var wait = default(SpinWait);
        while (threads.Sum(thread => thread.Log.Written) < _count) wait.SpinOnce();
        var replay = new EventReplay([.. threads.Select(thread => thread.Log)], _count, _digests);
        var header = _header with { Inputs = replay.Inputs() };
        if (_elements is not null)
        {
            _elements.Write(file, Lines);
        }
        else
        {
            using var output = new AtomicFile(file);
            Lines(output.Stream);
            output.Commit();
        }

        _savedFile = file;
        foreach (var thread in threads) thread.DropEvents();

        void Lines(Stream stream) =>
            TraceWriter.Write(stream, header, replay.Events(), new TraceResolver(_nodes, replay, _elements is not null));
    }

    CallListener<TArgs, TResult> ICallListenerFactory.CreateListener<TArgs, TResult>(
        ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result)
    {
        _nodes.Add(node);
        return new Recorder<TArgs, TResult>(this, _nodes.Count - 1, arguments, result);
    }

    // Returns the paths of uncalled modules: of those with a called descendant if `calledBelow` is true, else of those without.
    private List<string> Uncalled(bool calledBelow)
    {
        var above = new HashSet<ModuleNode>(ReferenceEqualityComparer.Instance);
        foreach (var node in _nodes.Where(node => node.Called))
        {
            // A shared module may have been called by another parent.
            for (var at = node; !at.Shared && at.Parent is not null && above.Add(at.Parent);) at = at.Parent;
        }

        return [.. _nodes.Where(node => !node.Called && above.Contains(node) == calledBelow).Select(node => node.Path)];
    }

    private void OnException(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_thread.IsValueCreated) _thread.Value!.Open.OnException();
    }

    // Returns this thread's part of the recording.
    private ThreadRecording Current() =>
        _last is { } thread && ReferenceEquals(thread.Order, _order) ? thread : _last = _thread.Value!;

    private ThreadRecording AddThread()
    {
        var thread = new ThreadRecording(_order, _digests, _elements);
        lock (_allThreads) _allThreads.Add(thread);
        return thread;
    }

    private sealed class Recorder<TArgs, TResult>(HookTrace trace, int number, Arguments<TArgs> arguments, ValueReader<TResult> result)
        : CallListener<TArgs, TResult>
    {
        private readonly EventCounter _order = trace._order;
        private readonly ModuleNode _node = trace._nodes[number];

        internal override bool Entered(object module, ref TArgs args)
        {
            if (_order.Ended) return false;
            var thread = trace.Current();
            if (thread.Open.MayHaveEnded) thread.CloseCalls(thread.Open.CountAlive(entering: true, trace._classOf));
            var (values, count) = (thread.EmptyValues, thread.Open.Count);
            arguments.Read(in args, values);
            // An exception that was thrown and caught during the reading of values has not ended a call.
            if (thread.Open.MayHaveEnded) thread.Confirm(count, CallStack.CaptureOutsideHook().With);
            if (thread.Log.Write(_order, TracePhase.Pre, number, thread.Open.Count, values)) _node.Called = true;
            thread.Open.Push() = number;
            return false;
        }

        internal override void Computed(object module, in TArgs args, ref TResult output)
        {
            if (_order.Ended) return;
            var thread = trace.Current();
            if (thread.Open.MayHaveEnded) thread.CloseCalls(thread.Open.CountAlive(entering: false, trace._classOf));
            // The call may have begun before the recording.
            if (thread.Open.Count == 0 || thread.Open[thread.Open.Count - 1] != number) return;
            thread.Open.Pop();
            var (values, count) = (thread.EmptyValues, thread.Open.Count);
            result.Read(output, values);
            if (thread.Open.MayHaveEnded) thread.Confirm(count, CallStack.CaptureOutsideHook().Without);
            thread.Log.Write(_order, TracePhase.Forward, number, thread.Open.Count, values);
        }
    }

    // A thread's part of the recording. It must not refer to the model, which would then live as long as the thread.
    private sealed class ThreadRecording(EventCounter order, bool digests, Elements? elements)
    {
        private EventValues? _values;

        internal EventCounter Order => order;

        internal OpenCalls<int> Open { get; } = new();

        internal EventLog Log { get; private set; } = new();

        /// <summary>Gets an empty buffer for the values of an event.</summary>
        internal EventValues EmptyValues
        {
            get
            {
                if (_values is not { IsReading: false } values) return AllocateValues();
                values.Clear();
                return values;
            }
        }

        internal void CloseCalls(int count)
        {
            while (Open.Count > count) Open.Pop();
        }

        internal void Confirm(int count, CallStack now)
        {
            CloseCalls(count);
            Open.Confirm(now);
        }

        internal void DropEvents()
        {
            Log.ReleaseArray();
            (Log, _values) = (new(), null);
        }

        private EventValues AllocateValues()
        {
            var values = new EventValues(Log.Texts, digests, elements);
            _values ??= values;
            return values;
        }
    }

    private sealed class TraceResolver(List<ModuleNode> nodes, EventReplay replay, bool stored) : TraceNames
    {
        public override string Path(in EventRecord record) => nodes[record.Path].Path;

        public override string Type(in EventRecord record) => nodes[record.Path].Type;

        public override string? Text(in ValueRecord value) => replay.Texts[(int)value.Payload];

        public override string? Digest(in ValueRecord value) => value.Payload < 0 ? null : replay.Texts[(int)value.Payload];

        public override bool Stored(in ValueRecord value) => stored;
    }
}
