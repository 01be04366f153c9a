namespace Bridge.Trace.Tool.Reading;

/// <summary>Reads trace files.</summary>
internal static class TraceReader
{
    /// <exception cref="TraceFileException">The file cannot be read.</exception>
    internal static RecordedTrace Read(string path)
    {
        var trace = ReadTruncated(path, out var truncated);
        return truncated is null ? trace : throw truncated;
    }

    /// <summary>Reads a file that may end before its footer.</summary>
    /// <param name="path">The file.</param>
    /// <param name="truncated">The error, if the file is truncated; the trace has the events before.</param>
    /// <exception cref="TraceFileException">The file cannot be read.</exception>
    internal static RecordedTrace ReadTruncated(string path, out TraceFileException? truncated)
    {
        truncated = null;
        using var lines = new TraceLines(path);
        List<TraceEvent> events = [];
        while (Add(lines, lines.Take(), events))
        {
        }

        var trace = Build(lines, events);
        try
        {
            Check(lines, events);
        }
        catch (TraceFileException error) when (error.Error == TraceFileError.TraceCutOffError)
        {
            truncated = error;
        }

        return trace;
    }

    /// <summary>Reads two files, a block of each in turn. If one ends before its footer, the other is cut to as many events.</summary>
    /// <exception cref="TraceFileException">A file cannot be read.</exception>
    internal static (RecordedTrace A, RecordedTrace B, IReadOnlyList<string> Incomplete) Read(string a, string b)
    {
        using var left = new TraceLines(a);
        using var right = new TraceLines(b);
        List<TraceEvent> some = [], others = [];
        bool more;
        do
        {
            var (block, other) = (left.Take(), right.Take());
            more = Add(left, block, some);
            more |= Add(right, other, others);
        }
        while (more);
        var (first, second) = (Build(left, some), Build(right, others));
        List<string> incomplete = [];
        var count = Math.Max(some.Count, others.Count);
        foreach (var (lines, events) in new[] { (left, some), (right, others) })
        {
            if (IsComplete(lines, events)) continue;
            count = Math.Min(count, events.Count);
            incomplete.Add(
                $"{Path.GetFileName(lines.Path)} is incomplete: it has no footer, so its recording did not end. "
                + $"Compared are its {events.Count} complete event{(events.Count == 1 ? "" : "s")}.");
        }

        return (first.First(count), second.First(count), incomplete);
    }

    private static bool IsComplete(TraceLines lines, List<TraceEvent> events)
    {
        try
        {
            Check(lines, events);
            return true;
        }
        catch (TraceFileException error) when (error.Error == TraceFileError.TraceCutOffError)
        {
            return false;
        }
    }

    private static bool Add(TraceLines lines, byte[] block, List<TraceEvent> events)
    {
        // The lines of the block are counted already.
        var number = lines.Line - block.AsSpan().Count((byte)'\n');
        for (var rest = block.AsSpan(); rest.Length > 0;)
        {
            var end = rest.IndexOf((byte)'\n');
            events.Add(lines.Decoder.Event(rest[..end], number++));
            rest = rest[(end + 1)..];
        }

        return block.Length > 0;
    }

    private static RecordedTrace Build(TraceLines lines, List<TraceEvent> events)
    {
        var place = ElementsFile.Beside(lines.Path);
        var stored = events.Exists(item => item.Values.Any(value => value.Stored)) && File.Exists(place);
        return new(lines.Header, () => events, events.Count, stored ? new ElementsFile(place) : null);
    }

    private static void Check(TraceLines lines, List<TraceEvent> events) =>
        lines.Check(events.Count, events.Sum(item => item.Values.LongCount(value => value.IsKnown)));
}
