using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The merged events of all threads after a recording has ended, each with its enclosing call.</summary>
/// <remarks>Events are created one at a time: all of them would take several times the memory of the logs.</remarks>
/// <param name="logs">The logs of all threads.</param>
/// <param name="count">The number of events.</param>
/// <param name="digests">Whether tensors have digests.</param>
internal sealed class EventReplay(IReadOnlyCollection<EventLog> logs, long count, bool digests)
{
    private int _calls;

    /// <summary>
    /// Gets the strings and digests of the current event's thread. The payload of a string, or of a tensor with a digest, is an index in
    /// this list.
    /// </summary>
    internal List<string> Texts { get; private set; } = [];

    /// <summary>
    /// Returns the digests of the tensors in the arguments of the root calls, the calls without an enclosing call. A key is
    /// <c>call.position</c>: the number of the root call, and the position among the values of its arguments, both counted from 0.
    /// </summary>
    internal List<KeyValuePair<string, string>> Inputs()
    {
        List<KeyValuePair<string, string>> found = [];
        var roots = 0;
        foreach (var buffer in digests ? Events() : [])
        {
            if (buffer.Events[0] is not { Phase: TracePhase.Pre, Parent: -1 }) continue;
            for (var i = 0; i < buffer.Values.Length; i++)
            {
                if (buffer.Values[i] is not { Kind: ValueKind.Tensor, Payload: >= 0 } value) continue;
                found.Add(new($"{roots}.{i}", Texts[(int)value.Payload]));
            }

            roots++;
        }

        return found;
    }

    /// <summary>Yields the events in order, each in the same buffer.</summary>
    internal IEnumerable<TraceBuffer> Events()
    {
        using var buffer = new TraceBuffer();
        var threads = logs.Select(log => new LogReader(log)).ToArray();
        LogReader? current = null;
        _calls = 0;
        for (var number = 0L; number < count; number++)
        {
            if (current is null || current.Number != number) current = Array.Find(threads, thread => thread.Number == number)!;
            Texts = current.Texts;
            buffer.Clear();
            Add(current, buffer);
            current.Advance();
            yield return buffer;
        }
    }

    private void Add(LogReader thread, TraceBuffer buffer)
    {
        var logged = thread.Event;
        var parent = logged.Depth == 0 ? -1 : thread.Calls[logged.Depth - 1];
        if (logged.Phase == TracePhase.Pre)
        {
            thread.Calls.RemoveRange(logged.Depth, thread.Calls.Count - logged.Depth);
            thread.Calls.Add(_calls++);
        }

        buffer.Write(logged.Node, 0, thread.Calls[logged.Depth], parent, logged.Phase, HookScope.Global, 0);
        var words = logged.Values;
        for (var i = 0; i < logged.Count; i++)
        {
            var value = EventValues.ReadFirst(ref words, digests);
            var head = value.Header;
            if (head.Kind == ValueKind.Tensor) buffer.AddTensor(head.DType, head.DeviceType, head.DeviceIndex, value.Sizes, value.Payload);
            else buffer.AddLiteral(head.Kind, value.Payload);
        }
    }

    // Reads a thread's events one after another.
    private sealed class LogReader
    {
        private readonly IEnumerator<ArraySegment<long>> _arrays;
        private ReadOnlyMemory<long> _rest;

        internal LogReader(EventLog log)
        {
            _arrays = log.Words.GetEnumerator();
            Texts = log.Texts;
            ReadNext();
        }

        internal List<string> Texts { get; }

        /// <summary>Gets the number of the thread's last call at each depth.</summary>
        internal List<int> Calls { get; } = [];

        /// <summary>Gets the number of the next event; -1 after the last.</summary>
        internal long Number { get; private set; }

        internal EventLog.LogEntry Event
        {
            get
            {
                var words = _rest.Span;
                return EventLog.ReadFirst(ref words);
            }
        }

        internal void Advance()
        {
            var words = _rest.Span;
            EventLog.ReadFirst(ref words);
            _rest = _rest[^words.Length..];
            ReadNext();
        }

        private void ReadNext()
        {
            while (_rest.IsEmpty && _arrays.MoveNext()) _rest = _arrays.Current;
            Number = _rest.IsEmpty ? -1 : _rest.Span[0];
        }
    }
}
