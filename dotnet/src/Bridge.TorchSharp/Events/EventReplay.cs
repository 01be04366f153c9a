using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The merged events of all threads, each with its enclosing call.</summary>
/// <remarks>
/// Events are created one at a time: all of them would take several times the memory of the logs. Threads may append to the logs in the
/// meantime.
/// </remarks>
/// <param name="logs">The logs of all threads.</param>
/// <param name="first">The number of the first event.</param>
/// <param name="count">The number of events, which must have been written to the logs.</param>
/// <param name="digests">Whether tensors have digests.</param>
/// <param name="timed">Whether events have the readings of a <see cref="CallMeter"/>.</param>
internal sealed class EventReplay(IReadOnlyCollection<EventLog> logs, long first, long count, bool digests, bool timed = false)
{
    /// <summary>
    /// Returns the digests of the tensors in the arguments of the root calls, the calls without an enclosing call. A key is
    /// <c>call.position</c>: the number of the root call, and the position among the values of its arguments, both counted from 0.
    /// </summary>
    internal List<KeyValuePair<string, string>> Inputs()
    {
        List<KeyValuePair<string, string>> found = [];
        var (roots, decoder) = (0, new EventDecoder(digests, timed));
        foreach (var buffer in digests ? Events(decoder) : [])
        {
            if (buffer.Events[0] is not { Phase: TracePhase.Pre, Parent: -1 }) continue;
            for (var i = 0; i < buffer.Values.Length; i++)
            {
                if (buffer.Values[i] is not { Kind: ValueKind.Tensor, Payload: >= 0 } value) continue;
                found.Add(new($"{roots}.{i}", decoder.Texts[(int)value.Payload]));
            }

            roots++;
        }

        return found;
    }

    /// <summary>Yields the events in order, each in the same buffer.</summary>
    /// <param name="decoder">A new decoder, which then has more about the current event.</param>
    internal IEnumerable<TraceBuffer> Events(EventDecoder decoder)
    {
        using var buffer = new TraceBuffer();
        var threads = logs.Select(log => new LogReader(log)).ToArray();
        LogReader? current = null;
        // Counted down, because the numbers after the last may overflow.
        var number = first;
        for (var left = count; left > 0; left--, number++)
        {
            if (current is null || current.Number != number) current = Array.Find(threads, thread => thread.Number == number)!;
            decoder.Decode(current.Event, current.Calls, current.Texts, buffer);
            current.Advance();
            yield return buffer;
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

        /// <summary>Gets the thread's last call at each depth.</summary>
        internal List<EventDecoder.OpenCall> Calls { get; } = [];

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
