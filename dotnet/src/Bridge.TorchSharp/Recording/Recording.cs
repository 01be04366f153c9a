using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The recorder of a model's calls: hooks on the modules, and the events of each thread.</summary>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal sealed class Recording : ICallListenerFactory
{
    private readonly TraceOptions _options;
    private readonly ThreadLocal<ThreadRecording> _thread;
    private readonly List<ThreadRecording> _allThreads = [];
    private readonly ModelAttachment _attachment;
    private int _listeners;
    private bool _ended;

    // The value of _thread in this thread's last recording: a thread-static field is read faster than a ThreadLocal.
    [ThreadStatic]
    private static ThreadRecording? _last;

    /// <summary>Starts recording.</summary>
    /// <param name="model">The root module.</param>
    /// <param name="options">The options.</param>
    /// <param name="streamFile">The file to which events are written at once; null if they are kept in memory.</param>
    internal Recording(object model, TraceOptions options, string? streamFile)
    {
        _options = options;
        Order = new(options.MaxEvents ?? long.MaxValue);
        Elements = options.Values == TraceValues.Full ? new() : null;
        ClassOf = number => Nodes![number].Module.GetType();
        _attachment = new(model);
        Nodes = new ModuleFilter(options.Paths, options.Types).Select(_attachment.Modules);
        Header = TraceHeaderFactory.Create(_attachment, options.Values);
        if (streamFile is not null) Stream = new(EventStream.Create(streamFile), streamFile, Header, Nodes, options);
        _thread = new(AddThread);
        ModelAttachment.Attach(this, Nodes);
        AppDomain.CurrentDomain.FirstChanceException += OnException;
    }

    internal EventCounter Order { get; }

    /// <summary>Gets the recorded modules. Events refer to them by index.</summary>
    internal IReadOnlyList<ModuleNode> Nodes { get; }

    internal IReadOnlyList<UnhookedModule> Unhooked => _attachment.Unhooked;

    internal TraceHeader Header { get; }

    internal Elements? Elements { get; }

    internal EventStream? Stream { get; }

    /// <summary>Gets a function that returns a module's class by its number.</summary>
    internal Func<int, Type> ClassOf { get; }

    /// <summary>Returns whether a module is of a class of TorchSharp.</summary>
    internal bool IsBuiltIn(ModuleNode node) => node.Module.GetType().Assembly == _attachment.Library.Module.Assembly;

    /// <summary>Removes the hooks, unless that was done before. Later calls are not recorded.</summary>
    internal void End()
    {
        Order.Stop();
        if (_ended) return;
        _ended = true;
        AppDomain.CurrentDomain.FirstChanceException -= OnException;
        _attachment.Dispose();
    }

    /// <summary>Resumes a recording that was stopped. Calls that were open in the meantime count as ended.</summary>
    internal void Resume()
    {
        // A hook that still runs began before the recording was stopped, so its thread has missed no event.
        foreach (var thread in Threads()) thread.Open.Forget();
        Order.Resume();
    }

    /// <summary>Returns the events so far. Later events are not in the result.</summary>
    internal EventReplay Replay()
    {
        var (count, threads) = (Order.Count, Threads());
        // Waits for events that have a number but are not in their thread's log yet, which takes nanoseconds.
        for (var wait = default(SpinWait); threads.Sum(thread => thread.Log.Written) < count; threads = Threads()) wait.SpinOnce();
        return new([.. threads.Select(thread => thread.Log)], Order.First, count, HasTexts, _options.Timing);
    }

    internal EventDecoder CreateDecoder() => new(HasTexts, _options.Timing);

    /// <summary>Removes the events from memory. The recording must have ended.</summary>
    /// <param name="reuse">Whether another recording may use the memory: no replay is being enumerated.</param>
    internal void DropEvents(bool reuse)
    {
        foreach (var thread in Threads()) thread.DropEvents(reuse);
    }

    CallListener<TArgs, TResult> ICallListenerFactory.CreateListener<TArgs, TResult>(
        ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result) =>
        new CallRecorder<TArgs, TResult>(this, _listeners++, arguments, result);

    /// <summary>Returns this thread's part of the recording.</summary>
    internal ThreadRecording Current() =>
        _last is { } thread && ReferenceEquals(thread.Order, Order) ? thread : _last = _thread.Value!;

    private bool HasTexts => _options.FindNonFinite || _options.Values != TraceValues.None;

    private ThreadRecording[] Threads()
    {
        lock (_allThreads) return [.. _allThreads];
    }

    private ThreadRecording AddThread()
    {
        var thread = new ThreadRecording(Order, _options, Elements, Stream);
        lock (_allThreads) _allThreads.Add(thread);
        return thread;
    }

    private void OnException(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_thread.IsValueCreated) _thread.Value!.Open.OnException();
    }
}
