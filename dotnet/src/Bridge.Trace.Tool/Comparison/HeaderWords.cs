using Bridge.Trace.Tool.Reading;
using Digests = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, string>>;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Compares two headers: the digests of inputs and weights, and the modules that a recording cannot see.</summary>
internal static class HeaderWords
{
    private const int Listed = 5;
    private const int ListedUnseen = 3;

    /// <summary>Returns a sentence if the inputs differ, and another if the weights differ.</summary>
    /// <remarks>Inputs, like weights, are compared only if both headers have digests of them.</remarks>
    internal static List<string> Differences(TraceFileHeader a, TraceFileHeader b, (string A, string B) names)
    {
        var single = a.Inputs.Concat(b.Inputs).All(input => input.Key.StartsWith("0.", StringComparison.Ordinal));
        List<string> said = [];
        Add(said, "inputs", Arguments(a.Inputs, single), Arguments(b.Inputs, single), names);
        Add(said, "weights", new(a.Weights), new(b.Weights), names);
        return said;
    }

    /// <summary>
    /// Returns a sentence for each trace whose header lists modules that it cannot see and at or below which only the other has events.
    /// </summary>
    internal static IEnumerable<string> Unseen(TraceDiff diff)
    {
        foreach (var (trace, name, other) in new[] { (diff.A, diff.Names.A, diff.B), (diff.B, diff.Names.B, diff.A) })
        {
            if (trace.Header.Unseen.Count == 0) continue;
            var others = other.Events.Select(item => item.Path).Except(trace.Events.Select(item => item.Path));
            var called = others.SelectMany(AtOrAbove).ToHashSet(StringComparer.Ordinal);
            List<string> found = [.. trace.Header.Unseen.Where(called.Contains)];
            if (found.Count == 0) continue;
            var listed = string.Join(", ", found.Take(ListedUnseen).Select(Phrases.PathName));
            yield return $"{name} cannot see {Phrases.Plural(found.Count, "module")} that TorchSharp runs as native code or without hooks: "
                + $"{listed}{(found.Count > ListedUnseen ? ", …" : ".")}";
        }
    }

    // A module's path, and the paths of the modules that enclose it, except the root's.
    private static IEnumerable<string> AtOrAbove(string path)
    {
        for (var end = path.Length; end >= 0; end = path[..end].LastIndexOf('.')) yield return path[..end];
    }

    // Replaces keys such as `0.1` with words such as `argument 1 of call 0`, or `argument 1` if all are of call 0.
    private static OrderedDigests Arguments(Digests inputs, bool single) => new(inputs.Select(input =>
    {
        var dot = input.Key.IndexOf('.', StringComparison.Ordinal);
        if (dot < 0) return input;
        var call = single ? "" : $" of call {input.Key[..dot]}";
        return KeyValuePair.Create($"argument {input.Key[(dot + 1)..]}{call}", input.Value);
    }));

    private static void Add(List<string> said, string noun, OrderedDigests left, OrderedDigests right, (string A, string B) names)
    {
        if (left.Keys.Count == 0 || right.Keys.Count == 0) return;
        List<string> parts = [];
        List<string> other = [.. left.Keys.Where(name => right.Get(name) is { } digest && digest != left.Get(name))];
        if (other.Count > 0) parts.Add($"{Join(other)} differ{(other.Count == 1 ? "s" : "")}");
        foreach (var (mine, theirs, name) in new[] { (left, right, names.A), (right, left, names.B) })
        {
            List<string> alone = [.. mine.Keys.Where(key => theirs.Get(key) is null)];
            if (alone.Count > 0) parts.Add($"{Join(alone)} only in {name}");
        }

        if (parts.Count > 0) said.Add($"Different {noun}: {string.Join("; ", parts)}.");
    }

    private static string Join(List<string> names) =>
        string.Join(", ", names.Take(Listed)) + (names.Count > Listed ? $" and {names.Count - Listed} more" : "");

    // Of two equal names, the first keeps its place, and the last its digest.
    private sealed class OrderedDigests
    {
        private readonly Dictionary<string, string> _byName = new(StringComparer.Ordinal);

        internal OrderedDigests(IEnumerable<KeyValuePair<string, string>> items)
        {
            foreach (var (name, digest) in items)
            {
                if (!_byName.ContainsKey(name)) Keys.Add(name);
                _byName[name] = digest;
            }
        }

        internal List<string> Keys { get; } = [];

        internal string? Get(string name) => _byName.GetValueOrDefault(name);
    }
}
