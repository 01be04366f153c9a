using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Records the module calls of a TorchSharp model into a trace file, in the program that runs it.</summary>
/// <remarks>
/// <para><c>using var trace = HookTrace.Record(model, "run.jsonl");</c> puts one hook before and one behind the <c>forward</c> of every module of the
/// model, before all that were registered. <see cref="Dispose"/> takes them out and writes the file, which <c>python -m bridge diff</c> compares with
/// that of the PyTorch original.</para>
/// <para>An event has what PyTorch's last global hook would see: the arguments before the module's own pre hooks, the result before its own
/// forward hooks. Of tensors it has shape, element type and device, and a digest of the elements, or these themselves, where <see cref="TraceValues"/>
/// asks for it.</para>
/// <para>A call that another thread makes is a root's there, whichever module started the thread.</para>
/// </remarks>
public sealed class HookTrace : IDisposable, IListening
{
    private readonly string _file;
    private readonly EventOrder _order = new();
    private readonly bool _digests;
    private readonly Elements? _elements;
    private readonly ThreadLocal<Here> _here;
    private readonly List<Here> _threads = [];
    private readonly List<ModuleNode> _nodes = [];
    private readonly Attached _attached;
    private readonly TraceHeader _header;
    private readonly Func<int, Type> _class;
    private readonly object _saving = new();
    private long _count;
    private string? _saved;

    // That of the recording which the thread last had an event for: a static is read faster than a ThreadLocal.
    [ThreadStatic]
    private static Here? _last;

    private HookTrace(object model, string file, TraceValues values)
    {
        _file = file;
        _digests = values != TraceValues.None;
        _elements = values == TraceValues.Full ? new() : null;
        _here = new(Begin);
        _class = number => _nodes[number].Module.GetType();
        _attached = new(model);
        _header = TraceHeading.Of(_attached, values);
        _attached.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += Thrown;
    }

    /// <summary>Modules without hooks: those that cannot be hooked, such as <c>ModuleList</c>, and those that were registered since.</summary>
    public IReadOnlyList<UnhookedModule> Unhooked => _attached.Unhooked;

    /// <summary>
    /// The paths of modules that were not called, while a module below them was: <c>forward</c> ran them, which fires no hook (C-3), or another
    /// method that uses what is below them. The root's path is empty.
    /// </summary>
    public IReadOnlyList<string> Bypassed => Without(called: true);

    /// <summary>
    /// The paths of modules that were not called, nor any module below them: run by <c>forward</c>, which fires no hook (C-3), or not used. The
    /// root's path is empty.
    /// </summary>
    public IReadOnlyList<string> NotCalled => Without(called: false);

    /// <summary>Begins to record.</summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c>.</param>
    /// <param name="file">The file, which is written when the recording is disposed; what is there, or what a link there names, is replaced then.</param>
    /// <param name="values">What to keep of tensors' elements; with digests, those of the weights are in the file too.</param>
    /// <returns>The recording. Dispose it, or nothing is written and the hooks stay.</returns>
    /// <exception cref="ArgumentException"><paramref name="model"/> is not a module of TorchSharp.</exception>
    /// <exception cref="DirectoryNotFoundException">The file's folder is not there.</exception>
    /// <exception cref="IOException">There is a folder, a device or a pipe in the file's place.</exception>
    public static HookTrace Record(object model, string file, TraceValues values = TraceValues.None)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        var full = Path.GetFullPath(file);
        AtomicFile.Resolve(full);
        if (values == TraceValues.Full) AtomicFile.Resolve(Elements.Beside(full));
        return new(model, full, values);
    }

    /// <summary>
    /// Takes the hooks out and writes the file, unless the recording was written. What other threads call from now on is not recorded.
    /// </summary>
    /// <remarks>
    /// Where the file cannot be written, one that was there before is unchanged, and the recording is kept: call this again, or
    /// <see cref="Save"/>. While an exception is on its way, out of the <c>using</c> that this ends or in a <c>catch</c>, the failure goes to the
    /// standard error and is not thrown, since it would take the place of that exception.
    /// </remarks>
    /// <exception cref="IOException">The file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The same, for lack of permission.</exception>
    public void Dispose()
    {
        // That of this thread, which nothing else in .NET tells.
        var leaving = Marshal.GetExceptionPointers() != 0;
        try
        {
            lock (_saving)
            {
                if (_saved is null) Write(_file);
            }
        }
        catch (Exception exception) when (leaving)
        {
            Console.Error.WriteLine($"The recording could not be written to {_file}: {exception.Message}");
        }
    }

    /// <summary>Takes the hooks out and writes the recording to another file, such as when <see cref="Dispose"/> could not write its own.</summary>
    /// <param name="file">The file, instead of the one that was given at first; what is there is replaced.</param>
    /// <exception cref="InvalidOperationException">The recording was written already.</exception>
    /// <exception cref="IOException">The file cannot be written; the recording is kept.</exception>
    /// <exception cref="UnauthorizedAccessException">The same, for lack of permission.</exception>
    public void Save(string file)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        lock (_saving)
        {
            if (_saved is not null) throw new InvalidOperationException($"The recording was written to {_saved} already, and its events are kept no longer.");
            Write(Path.GetFullPath(file));
        }
    }

    private void Write(string file)
    {
        if (_order.End() is >= 0 and var given)
        {
            _count = given;
            AppDomain.CurrentDomain.FirstChanceException -= Thrown;
            _attached.Dispose();
        }

        Here[] threads;
        lock (_threads) threads = [.. _threads];
        // An event that has its number is written within nanoseconds.
        var wait = default(SpinWait);
        while (threads.Sum(here => here.Log.Written) < _count) wait.SpinOnce();
        var replay = new EventReplay([.. threads.Select(here => here.Log)], _count, _digests);
        var header = _header with { Inputs = replay.Inputs() };
        if (_elements is not null)
        {
            _elements.Write(file, Lines);
        }
        else
        {
            using var target = new AtomicFile(file);
            Lines(target.Stream);
            target.Commit();
        }

        _saved = file;
        foreach (var here in threads) here.Forget();

        void Lines(Stream stream) => TraceWriter.Write(stream, header, replay.Events(), new Names(_nodes, replay, _elements is not null));
    }

    Listener<TArgs, TResult> IListening.Listen<TArgs, TResult>(ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result)
    {
        _nodes.Add(node);
        return new Recorder<TArgs, TResult>(this, _nodes.Count - 1, arguments, result);
    }

    // The modules that were not called.
    private List<string> Without(bool called)
    {
        var above = new HashSet<ModuleNode>(ReferenceEqualityComparer.Instance);
        foreach (var node in _nodes.Where(node => node.Called))
        {
            // Another module that has it, too, may have called it.
            for (var at = node; !at.Shared && at.Parent is not null && above.Add(at.Parent);) at = at.Parent;
        }

        return [.. _nodes.Where(node => !node.Called && above.Contains(node) == called).Select(node => node.Path)];
    }

    private void Thrown(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_here.IsValueCreated) _here.Value!.Open.Thrown();
    }

    // What the thread has.
    private Here Current() => _last is { } here && ReferenceEquals(here.Order, _order) ? here : _last = _here.Value!;

    private Here Begin()
    {
        var here = new Here(_order, _digests, _elements);
        lock (_threads) _threads.Add(here);
        return here;
    }

    private sealed class Recorder<TArgs, TResult>(HookTrace trace, int number, Arguments<TArgs> arguments, ValueReader<TResult> result) : Listener<TArgs, TResult>
    {
        private readonly EventOrder _order = trace._order;
        private readonly ModuleNode _node = trace._nodes[number];

        internal override bool Entered(object module, ref TArgs args)
        {
            if (_order.Ended) return false;
            var here = trace.Current();
            if (here.Open.IsDoubtful) here.Cut(here.Open.Alive(entering: true, trace._class));
            var (leaves, count) = (here.Leaves, here.Open.Count);
            arguments.Read(in args, leaves);
            // What was thrown, and caught, while values were read.
            if (here.Open.IsDoubtful) here.Settle(count, CallStack.OfHook().With);
            if (here.Log.Write(_order, TracePhase.Pre, number, here.Open.Count, leaves)) _node.Called = true;
            here.Open.Push() = number;
            return false;
        }

        internal override void Computed(object module, in TArgs args, ref TResult output)
        {
            if (_order.Ended) return;
            var here = trace.Current();
            if (here.Open.IsDoubtful) here.Cut(here.Open.Alive(entering: false, trace._class));
            // It may have begun before the recording did.
            if (here.Open.Count == 0 || here.Open[here.Open.Count - 1] != number) return;
            here.Open.Pop();
            var (leaves, count) = (here.Leaves, here.Open.Count);
            result.Read(output, leaves);
            if (here.Open.IsDoubtful) here.Settle(count, CallStack.OfHook().Without);
            here.Log.Write(_order, TracePhase.Forward, number, here.Open.Count, leaves);
        }
    }

    // What a thread has of the recording: nothing of the model, since the thread keeps it.
    private sealed class Here(EventOrder order, bool digests, Elements? elements)
    {
        private Leaves? _leaves;

        internal EventOrder Order => order;

        internal OpenCalls<int> Open { get; } = new();

        internal EventLog Log { get; private set; } = new();

        /// <summary>Empty ones.</summary>
        internal Leaves Leaves
        {
            get
            {
                if (_leaves is not { IsReading: false } leaves) return Another();
                leaves.Clear();
                return leaves;
            }
        }

        internal void Cut(int count)
        {
            while (Open.Count > count) Open.Pop();
        }

        internal void Settle(int count, CallStack now)
        {
            Cut(count);
            Open.Settle(now);
        }

        /// <summary>Lets go of all events. A thread that has not noticed the end yet writes none any more.</summary>
        internal void Forget()
        {
            Log.Free();
            (Log, _leaves) = (new(), null);
        }

        private Leaves Another()
        {
            var leaves = new Leaves(Log.Texts, digests, elements);
            _leaves ??= leaves;
            return leaves;
        }
    }

    private sealed class Names(List<ModuleNode> nodes, EventReplay replay, bool stored) : TraceNames
    {
        public override string Path(in EventRecord record) => nodes[record.Path].Path;

        public override string Type(in EventRecord record) => nodes[record.Path].Type;

        public override string? Text(in ValueRecord value) => replay.Texts[(int)value.Payload];

        public override string? Digest(in ValueRecord value) => value.Payload < 0 ? null : replay.Texts[(int)value.Payload];

        public override bool Stored(in ValueRecord value) => stored;
    }
}
