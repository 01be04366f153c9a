using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Puts the events of all threads in order, when a recording has ended, and tells which call encloses which.</summary>
/// <param name="digests">Whether tensors have digests.</param>
internal sealed class EventReplay(bool digests)
{
    private int _roots;

    /// <summary>The events in order.</summary>
    internal TraceBuffer Buffer { get; } = new();

    /// <summary>Strings and digests; a record's payload is the place here.</summary>
    internal List<string> Texts { get; } = [];

    /// <summary>Digests of the root calls' arguments, by <c>call.position</c>.</summary>
    internal List<KeyValuePair<string, string>> Inputs { get; } = [];

    /// <summary>Adds the events that got the first numbers.</summary>
    /// <param name="logs">All threads'.</param>
    /// <param name="count">How many numbers were given.</param>
    internal void Add(IEnumerable<EventLog> logs, long count)
    {
        var threads = logs.Select(log => new Reading(log)).ToArray();
        Reading? current = null;
        for (var number = 0L; number < count; number++)
        {
            if (current is null || current.Number != number) current = threads.First(thread => thread.Number == number);
            Add(current);
            current.Advance();
        }
    }

    private void Add(Reading thread)
    {
        var logged = thread.Event;
        var parent = logged.Depth == 0 ? -1 : thread.Calls[logged.Depth - 1];
        if (logged.Phase == TracePhase.Pre)
        {
            thread.Calls.RemoveRange(logged.Depth, thread.Calls.Count - logged.Depth);
            thread.Calls.Add(Buffer.BeginCall(logged.Node, 0, parent));
        }

        Buffer.Event(thread.Calls[logged.Depth], logged.Phase);
        var root = digests && logged.Phase == TracePhase.Pre && parent < 0 ? _roots++ : -1;
        var words = logged.Values;
        for (var i = 0; i < logged.Count; i++)
        {
            var leaf = Leaves.Take(ref words, digests);
            var (head, payload) = (leaf.Head, leaf.Payload);
            if (head.Kind is ValueKind.Str or ValueKind.Tensor && payload >= 0)
            {
                var text = thread.Texts[(int)payload];
                if (head.Kind == ValueKind.Tensor && root >= 0) Inputs.Add(new($"{root}.{i}", text));
                payload = Texts.Count;
                Texts.Add(text);
            }

            if (head.Kind == ValueKind.Tensor) Buffer.AddTensor(head.DType, head.DeviceType, head.DeviceIndex, leaf.Sizes, payload);
            else Buffer.AddLiteral(head.Kind, payload);
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
