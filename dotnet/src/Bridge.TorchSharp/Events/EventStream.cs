using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>A trace file to which each event is written at once, so that the file has all events even if the process is killed.</summary>
internal sealed class EventStream
{
    private readonly object _lock = new();
    private readonly TraceBuffer _buffer = new();
    private readonly EventDecoder _decoder;
    private readonly RecordedNames _names;
    private readonly Stream _file;
    private readonly string _path;
    private readonly TraceWriter _writer;
    private readonly ModuleTotals _totals;
    private IOException? _failure;
    private long _events;
    private bool _completed;

    /// <summary>Writes the header.</summary>
    /// <param name="file">The stream of the file, which this object closes.</param>
    /// <param name="path">The path of the file.</param>
    /// <param name="header">The header.</param>
    /// <param name="modules">The recorded modules.</param>
    /// <param name="options">The options of the recording.</param>
    internal EventStream(Stream file, string path, TraceHeader header, IReadOnlyList<ModuleNode> modules, TraceOptions options)
    {
        (_file, _path) = (file, path);
        _decoder = new(options.Values != TraceValues.None, options.Timing);
        _names = new(modules, _decoder, stored: false);
        _totals = new(modules);
        try
        {
            _writer = TraceWriter.Begin(_file, header, _names);
        }
        catch
        {
            _file.Dispose();
            throw;
        }
    }

    /// <summary>Creates a file, or empties an old one. Without a buffer, the system has each event as soon as it is written.</summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written for lack of permission.</exception>
    internal static FileStream Create(string path) =>
        new(AtomicFile.Resolve(path), FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);

    /// <summary>Writes an event, unless the recording is stopped or an earlier event could not be written.</summary>
    /// <param name="order">Assigns the event's number.</param>
    /// <param name="phase">The phase.</param>
    /// <param name="node">The module's number.</param>
    /// <param name="depth">The depth, as in <see cref="EventLog.Write(EventCounter, TracePhase, int, int, EventValues)"/>.</param>
    /// <param name="values">The arguments or the result.</param>
    /// <param name="calls">The thread's last call at each depth.</param>
    /// <returns>The number of the event; negative if it was not written.</returns>
    internal long Write(
        EventCounter order, TracePhase phase, int node, int depth, EventValues values, List<EventDecoder.OpenCall> calls)
    {
        lock (_lock)
        {
            var number = _completed || _failure is not null ? -1 : order.Next();
            if (number < 0) return number;
            var logged = new EventLog.LogEntry
            {
                Number = number,
                Node = node,
                Place = depth,
                Phase = phase,
                Count = values.Count,
                Values = values.Words,
            };
            _decoder.Decode(logged, calls, values.Texts, _buffer);
            try
            {
                _writer.Add(_buffer);
                _writer.Flush();
            }
            catch (IOException exception)
            {
                // The model's call must continue. Complete throws the exception.
                _failure = exception;
                return -1;
            }

            _totals.Add(node, _names.Read(_buffer, _events++), _decoder.Nested);
            return number;
        }
    }

    /// <summary>Returns what was recorded of each module so far.</summary>
    internal IReadOnlyList<ModuleSummary> Summarize()
    {
        lock (_lock) return _totals.Summarize();
    }

    /// <summary>Writes the end of the file and closes the file, unless that was done before.</summary>
    /// <exception cref="IOException">The end, or an earlier event, could not be written.</exception>
    internal void Complete()
    {
        lock (_lock)
        {
            if (_completed) return;
            _completed = true;
            try
            {
                if (_failure is null) _writer.End();
            }
            finally
            {
                _buffer.Dispose();
                _file.Dispose();
            }

            if (_failure is null) return;
            throw new IOException(
                $"The recording stopped after {_events} events, because {_path} could not be written: {_failure.Message} "
                    + "The file is incomplete.",
                _failure);
        }
    }
}
