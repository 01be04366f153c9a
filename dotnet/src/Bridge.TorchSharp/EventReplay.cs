using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Puts the events of all threads in order, when a recording has ended, and tells which call encloses which.</summary>
/// <remarks>One event after the other, since all at once take several times what the threads keep of them.</remarks>
/// <param name="logs">All threads'.</param>
/// <param name="count">How many numbers were given.</param>
/// <param name="digests">Whether tensors have digests.</param>
internal sealed class EventReplay(IReadOnlyCollection<EventLog> logs, long count, bool digests)
{
    private int _calls;

    /// <summary>Strings and digests of the event at hand, and of others; a value's payload is the place here.</summary>
    internal List<string> Texts { get; private set; } = [];

    /// <summary>Digests of the root calls' arguments, by <c>call.position</c>.</summary>
    internal List<KeyValuePair<string, string>> Inputs()
    {
        List<KeyValuePair<string, string>> found = [];
        var roots = 0;
        foreach (var buffer in digests ? Events() : [])
        {
            if (buffer.Events[0] is not { Phase: TracePhase.Pre, Parent: -1 }) continue;
            for (var i = 0; i < buffer.Values.Length; i++)
            {
                if (buffer.Values[i] is { Kind: ValueKind.Tensor, Payload: >= 0 } value) found.Add(new($"{roots}.{i}", Texts[(int)value.Payload]));
            }

            roots++;
        }

        return found;
    }

    /// <summary>The events in order, each in the buffer that had the one before it.</summary>
    internal IEnumerable<TraceBuffer> Events()
    {
        using var buffer = new TraceBuffer();
        var threads = logs.Select(log => new Reading(log)).ToArray();
        Reading? current = null;
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

    private void Add(Reading thread, TraceBuffer buffer)
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
            var leaf = Leaves.Take(ref words, digests);
            var head = leaf.Head;
            if (head.Kind == ValueKind.Tensor) buffer.AddTensor(head.DType, head.DeviceType, head.DeviceIndex, leaf.Sizes, leaf.Payload);
            else buffer.AddLiteral(head.Kind, leaf.Payload);
        }
    }

    // Where the replay is in a thread's events.
    private sealed class Reading
    {
        private readonly IEnumerator<ArraySegment<long>> _arrays;
        private ReadOnlyMemory<long> _rest;

        internal Reading(EventLog log)
        {
            _arrays = log.Words.GetEnumerator();
            Texts = log.Texts;
            Read();
        }

        internal List<string> Texts { get; }

        /// <summary>The numbers of the calls that the thread is in.</summary>
        internal List<int> Calls { get; } = [];

        /// <summary>The next event's; -1 behind the last one.</summary>
        internal long Number { get; private set; }

        internal EventLog.Logged Event
        {
            get
            {
                var words = _rest.Span;
                return EventLog.Take(ref words);
            }
        }

        internal void Advance()
        {
            var words = _rest.Span;
            EventLog.Take(ref words);
            _rest = _rest[^words.Length..];
            Read();
        }

        private void Read()
        {
            while (_rest.IsEmpty && _arrays.MoveNext()) _rest = _arrays.Current;
            Number = _rest.IsEmpty ? -1 : _rest.Span[0];
        }
    }
}
