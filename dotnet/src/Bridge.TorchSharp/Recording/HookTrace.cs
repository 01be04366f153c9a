using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Records the module calls of a TorchSharp model, in the program that runs the model, in memory or to a trace file.</summary>
/// <remarks>
/// <para><c>using var trace = HookTrace.Record(model, "run.jsonl");</c> adds a hook before and a hook after the <c>forward</c> of every
/// module that can be hooked, in front of all other hooks. <see cref="Dispose"/> removes the added hooks and writes the file, which
/// <c>python -m bridge diff</c> compares with the trace of the PyTorch original.</para>
/// <para>An event has what PyTorch's last global hook would see: the arguments before the module's own pre hooks, and the result before its
/// own forward hooks. A tensor is recorded by shape, element type and device. <see cref="TraceValues"/> can add a digest of the
/// tensor's elements, or the digest and the elements.</para>
/// <para>A call on another thread, or after an <c>await</c>, is in the call that started it, unless that has ended.</para>
/// </remarks>
public sealed class HookTrace : IDisposable
{
    private readonly object _lock = new();
    private readonly Recording _recording;
    private readonly TraceOptions _options;
    private readonly string? _file;
    private bool _ended;
    // An enumeration may still go on when the events are dropped.
    private bool _enumerated;
    private string? _writtenFile;

    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    private HookTrace(object model, string? file, TraceOptions options)
    {
        options.Check(file);
        if (file is not null)
        {
            AtomicFile.Resolve(file);
            if (options.Values == TraceValues.Full) AtomicFile.Resolve(Elements.ValuesFile(file));
        }

        (_file, _options) = (file, options);
        _recording = new(model, options, options.Stream ? file : null);
    }

    /// <summary>
    /// Gets the modules that cannot be recorded: those that cannot be hooked, such as <c>ModuleList</c>, those that are native code within
    /// a layer, such as <c>Transformer</c>, and those that were registered after the recording began.
    /// </summary>
    public IReadOnlyList<UnhookedModule> Unhooked => _recording.Unhooked;

    /// <summary>
    /// Gets the paths of recorded modules that were not called although a descendant was. Such a module was run by <c>forward</c>, which
    /// fires no hook (clause C-3 of docs/contract.md), or by another method; or other code called the descendant directly. Descendants
    /// that the module shares with another parent do not count: that parent may have called them. The root's path is empty.
    /// </summary>
    public IReadOnlyList<string> Bypassed => Uncalled(calledBelow: true);

    /// <summary>
    /// Gets the paths of recorded modules that were not called and are not in <see cref="Bypassed"/>. Such a module was not used, or was
    /// run by <c>forward</c>, which fires no hook (C-3), or by another method. The root's path is empty.
    /// </summary>
    public IReadOnlyList<string> NotCalled => Uncalled(calledBelow: false);

    /// <summary>
    /// Gets whether the recording has <see cref="TraceOptions.MaxEvents"/> events. Later events are not recorded, and modules that are
    /// first called later count as not called.
    /// </summary>
    public bool LimitReached => _recording.Order.LimitReached;

    /// <summary>Gets the events so far, in order. They are created while they are enumerated, and can be enumerated again.</summary>
    /// <exception cref="InvalidOperationException">The events are not in memory: they were streamed to a file or are written.</exception>
    public IEnumerable<TraceEvent> Events
    {
        get
        {
            lock (_lock) RequireEvents();
            return ReadEvents().Select(found => found.Event);
        }
    }

    /// <summary>Gets a summary of each recorded module, the root first, each module before its children.</summary>
    /// <exception cref="InvalidOperationException">The events are no longer in memory.</exception>
    public IReadOnlyList<ModuleSummary> Modules
    {
        get
        {
            if (_recording.Stream is { } stream) return stream.Summarize();
            var totals = new ModuleTotals(_recording.Nodes);
            foreach (var (found, node, nested) in ReadEvents()) totals.Add(node, found, nested);
            return totals.Summarize();
        }
    }

    /// <summary>Starts a recording in memory. After <see cref="Dispose"/>, its events can still be read and saved.</summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c> of TorchSharp itself.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <returns>The recording, which has to be disposed to remove the hooks.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="model"/> is not a module of TorchSharp, an option is invalid, or a filter selects no module.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// <paramref name="model"/> runs on Bridge.Torch, or on an unknown version of TorchSharp.
    /// </exception>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    public static HookTrace Record(object model, TraceOptions? options = null) => new(model, null, options ?? new());

    /// <summary>Starts a recording that is written to a file when it is disposed.</summary>
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
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    public static HookTrace Record(object model, string file, TraceValues values = TraceValues.None) =>
        Record(model, file, new TraceOptions { Values = values });

    /// <summary>
    /// Starts a recording to a file. The file is written when the recording is disposed, or at each event with
    /// <see cref="TraceOptions.Stream"/>.
    /// </summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c> of TorchSharp itself.</param>
    /// <param name="file">The file to write, or a link to that file.</param>
    /// <param name="options">The options.</param>
    /// <returns>The recording, which has to be disposed to complete the file and to remove the hooks.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="model"/> is not a module of TorchSharp, <paramref name="file"/> is empty, an option is invalid, or a filter selects
    /// no module.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// <paramref name="model"/> runs on Bridge.Torch, or on an unknown version of TorchSharp.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The file's folder does not exist.</exception>
    /// <exception cref="IOException">
    /// The path is a folder, a device, a pipe or a socket, or leads through too many links. With Stream: the file cannot be written.
    /// </exception>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    public static HookTrace Record(object model, string file, TraceOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        ArgumentNullException.ThrowIfNull(options);
        return new(model, Path.GetFullPath(file), options);
    }

    /// <summary>
    /// Runs a model and finds the first module whose result has a NaN or an infinity while its arguments have none. The elements of
    /// floating-point tensors are all read, except those of sparse and 8-bit ones.
    /// </summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c> of TorchSharp itself.</param>
    /// <param name="run">Runs the model, by <c>call</c>.</param>
    /// <returns>The call; null if all recorded values are finite.</returns>
    /// <exception cref="InvalidOperationException">No module was called, so nothing was checked.</exception>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    public static NonFiniteCall? FindNonFinite(object model, Action run)
    {
        ArgumentNullException.ThrowIfNull(run);
        using var trace = Record(model, new TraceOptions { FindNonFinite = true });
        run();
        trace.Dispose();
        if (trace._recording.Order.Count > 0) return NonFiniteCall.Find(trace.Events);
        throw new InvalidOperationException(
            "No module was called, so nothing was checked: run the model by call, because forward fires no hook.");
    }

    /// <summary>Stops recording until <see cref="Resume"/>. Calls that are open have no result in the recording.</summary>
    /// <exception cref="InvalidOperationException">The recording has ended.</exception>
    public void Pause()
    {
        lock (_lock)
        {
            RequireRunning();
            _recording.Order.Stop();
        }
    }

    /// <summary>Resumes recording after <see cref="Pause"/>. A call inside one that was open meanwhile is a root call.</summary>
    /// <exception cref="InvalidOperationException">The recording has ended.</exception>
    public void Resume()
    {
        lock (_lock)
        {
            RequireRunning();
            _recording.Resume();
        }
    }

    /// <summary>
    /// Prints the recorded modules as a tree of at most 80 columns: class, arguments and results of the first call, with the number of
    /// calls if a module was called more than once, and with the time if it was measured.
    /// </summary>
    /// <param name="writer">The writer; null for the console.</param>
    /// <exception cref="InvalidOperationException">The events are no longer in memory.</exception>
    public void Print(TextWriter? writer = null)
    {
        writer ??= Console.Out;
        foreach (var line in TraceTable.Format(_recording.Nodes, Modules)) writer.WriteLine(line);
        if (LimitReached) writer.WriteLine($"Incomplete: the limit of {_options.MaxEvents} events was reached.");
    }

    /// <summary>Removes the hooks and writes or completes the file, if there is one. Later calls are not recorded.</summary>
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
            lock (_lock)
            {
                _ended = true;
                _recording.End();
                if (_recording.Stream is { } stream) stream.Complete();
                else if (_file is not null && _writtenFile is null) WriteLast(_file);
            }
        }
        catch (Exception exception) when (propagating)
        {
            Console.Error.WriteLine($"The recording could not be written to {_file}: {exception.Message}");
        }
    }

    /// <summary>Writes the events so far to a trace file, completely or not at all. The recording continues, if it has not ended.</summary>
    /// <param name="file">The file to write; an old file is replaced.</param>
    /// <exception cref="ArgumentException"><paramref name="file"/> is empty.</exception>
    /// <exception cref="InvalidOperationException">The events are not in memory: they were streamed to a file or are written.</exception>
    /// <exception cref="IOException">The file cannot be written; the recording is kept.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written for lack of permission; the recording is kept.</exception>
    public void Save(string file)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        lock (_lock)
        {
            RequireEvents();
            // The recording has a file that could not be written: this one is written instead.
            if (_ended && _file is not null) WriteLast(Path.GetFullPath(file));
            else TraceFile.Write(Path.GetFullPath(file), _recording);
        }
    }

    private void WriteLast(string file)
    {
        TraceFile.Write(file, _recording);
        _writtenFile = file;
        _recording.DropEvents(reuse: !_enumerated);
    }

    // Yields each event with the module's number, and whether its call is inside another call of the module.
    private IEnumerable<(TraceEvent Event, int Node, bool Nested)> ReadEvents()
    {
        var decoder = _recording.CreateDecoder();
        var names = new RecordedNames(_recording.Nodes, decoder, stored: false);
        var number = 0L;
        EventReplay replay;
        lock (_lock)
        {
            // The events may have been written since the property was read.
            RequireEvents();
            _enumerated = true;
            replay = _recording.Replay();
        }

        foreach (var buffer in replay.Events(decoder))
            yield return (names.Read(buffer, number++), buffer.Events[0].Path, decoder.Nested);
    }

    private void RequireRunning()
    {
        if (_ended) throw new InvalidOperationException("The recording has ended.");
    }

    private void RequireEvents()
    {
        if (_recording.Stream is not null)
            throw new InvalidOperationException($"The events are in {_file}: a streamed recording keeps none in memory.");
        if (_writtenFile is { } written)
            throw new InvalidOperationException($"The recording was written to {written} already, and its events are no longer kept.");
    }

    // Returns the paths of uncalled modules: of those with a called descendant if `calledBelow` is true, else of those without.
    private List<string> Uncalled(bool calledBelow)
    {
        var above = new HashSet<ModuleNode>(ReferenceEqualityComparer.Instance);
        foreach (var node in _recording.Nodes.Where(node => node.Called))
        {
            // A shared module may have been called by another parent.
            for (var at = node; !at.Shared && at.Parent is not null && above.Add(at.Parent);) at = at.Parent;
        }

        return [.. _recording.Nodes.Where(node => !node.Called && above.Contains(node) == calledBelow).Select(node => node.Path)];
    }
}
