using System.Security.Cryptography;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Compares two traces: first their structure, then the values.</summary>
internal static class TraceComparer
{
    private const int MaxFooter = 4096;

    /// <summary>Compares two trace files. Files with equal event lines are compared as bytes, in little memory.</summary>
    /// <exception cref="TraceFileException">A file cannot be read.</exception>
    internal static TraceDiff CompareFiles(string a, string b, Tolerance allowed)
    {
        if (CompareEqualFiles(a, b) is { } same) return same;
        var (left, right, incomplete) = TraceReader.Read(a, b);
        return Compare(left, right, incomplete, allowed);
    }

    private static TraceDiff Compare(RecordedTrace a, RecordedTrace b, IReadOnlyList<string> incomplete, Tolerance allowed)
    {
        var names = TraceDiff.NamesOf(a, b);
        List<Row> rows;
        List<Difference> structural = [];
        if (HaveSameStructure(a.Events, b.Events))
        {
            rows = [.. a.Events.Zip(b.Events, (x, y) => new Row(x, y))];
        }
        else
        {
            CheckElements(a);
            CheckElements(b);
            (rows, var findings) = Alignment.Align(CallNode.Tree(a.Events), CallNode.Tree(b.Events));
            var words = new StructureWords(names);
            structural = [.. findings.Select(words.Describe)];
        }

        var found = ValueDifferences.Of(a, b, rows, allowed, names);
        return new()
        {
            A = a,
            B = b,
            RowCount = rows.Count,
            Rows = rows,
            Structural = structural,
            Numeric = found.Found,
            Culprit = found.Culprit,
            Largest = found.Largest,
            Compared = found.Compared,
            Notes = TypeNotes(rows, names),
            Origins = HeaderWords.Differences(a.Header, b.Header, names),
            Incomplete = incomplete,
        };
    }

    // A C# port may have other class names, so other type names are not a difference.
    private static List<string> TypeNotes(List<Row> rows, (string A, string B) names)
    {
        HashSet<(string, string, string)> seen = [];
        List<string> notes = [];
        foreach (var (x, y) in rows)
        {
            if (x is null || y is null || x.Type == y.Type || !seen.Add((x.Path, x.Type, y.Type))) continue;
            var (left, right) = (Phrases.WithArticle(x.Type), Phrases.WithArticle(y.Type));
            notes.Add($"{Phrases.PathName(x.Path)} is {left} in {names.A} and {right} in {names.B}.");
        }

        return notes;
    }

    private static bool HaveSameStructure(IReadOnlyList<TraceEvent> a, IReadOnlyList<TraceEvent> b) =>
        a.Count == b.Count && a.Zip(b).All(pair => Key(pair.First) == Key(pair.Second));

    private static (string, string, string, int, int, int) Key(TraceEvent item) =>
        (item.Path, item.Phase, item.Scope, item.Hook, item.Call, item.Parent);

    // Reads all elements, since the alignment may need any of them.
    private static void CheckElements(RecordedTrace trace)
    {
        if (trace.Elements is not { } elements) return;
        foreach (var value in trace.Events.SelectMany(item => item.Values)) elements.Read(value);
    }

    // Returns null unless both files are complete and have equal event lines.
    private static TraceDiff? CompareEqualFiles(string a, string b)
    {
        using var left = new TraceLines(a);
        using var right = new TraceLines(b);
        if (TraceLines.Guard(a, () => FooterOfEqualFiles(left, right)) is not { } footer) return null;
        var traces = (A: Later(left), B: Later(right));
        return new()
        {
            A = traces.A,
            B = traces.B,
            RowCount = footer.Events,
            Compared = footer.Known,
            Origins = HeaderWords.Differences(left.Header, right.Header, TraceDiff.NamesOf(traces.A, traces.B)),
        };

        RecordedTrace Later(TraceLines lines) => new(lines.Header, () => TraceReader.Read(lines.Path).Events, footer.Events, null);
    }

    private static TraceFooter? FooterOfEqualFiles(TraceLines left, TraceLines right)
    {
        using var a = File.OpenRead(left.Path);
        using var b = File.OpenRead(right.Path);
        var length = a.Length - left.Start;
        if (length == 0 || length != b.Length - right.Start || FindFooter(a, left.Start) is not { } start) return null;
        (a.Position, b.Position) = (left.Start, right.Start);
        var (first, second) = (new byte[TraceLines.BlockSize], new byte[TraceLines.BlockSize]);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var last = new MemoryStream();
        long lines = 0;
        for (var position = left.Start; position < a.Length;)
        {
            var count = a.ReadAtLeast(first, first.Length, throwOnEndOfStream: false);
            var other = b.ReadAtLeast(second, second.Length, throwOnEndOfStream: false);
            if (count == 0 || !first.AsSpan(0, count).SequenceEqual(second.AsSpan(0, other))) return null;
            var events = (int)Math.Clamp(start - position, 0, count);
            hash.AppendData(first, 0, events);
            lines += first.AsSpan(0, events).Count((byte)'\n');
            last.Write(first, events, count - events);
            position += count;
        }

        var footer = ReadFooter(left.Decoder, last.ToArray(), TraceLines.Hex(hash.GetHashAndReset()));
        return footer?.Events == lines ? footer : null;
    }

    // Returns the offset of the last line.
    private static long? FindFooter(FileStream file, long start)
    {
        var tail = new byte[(int)Math.Min(MaxFooter, file.Length - start)];
        file.Position = file.Length - tail.Length;
        file.ReadExactly(tail);
        if (tail[^1] != '\n') return null;
        var end = tail.AsSpan(0, tail.Length - 1).LastIndexOf((byte)'\n');
        return file.Length - tail.Length + end + 1;
    }

    // An invalid footer is reported when the file is read, with the number of its line.
    private static TraceFooter? ReadFooter(LineDecoder decoder, byte[] line, string digest)
    {
        if (!decoder.IsFooter(line)) return null;
        try
        {
            return decoder.Footer(line, 0) is { } footer && footer.Digest == digest ? footer : null;
        }
        catch (TraceFileException)
        {
            return null;
        }
    }
}
