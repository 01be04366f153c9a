using Bridge.Trace.Tool.Comparison;
using Bridge.Trace.Tool.Reading;
using static Bridge.Trace.Tool.Comparison.Phrases;

namespace Bridge.Trace.Tool.Printing;

/// <summary>Explains the result of a comparison in a few lines.</summary>
internal static class DiffWords
{
    /// <summary>Returns lines about inputs and weights that differ, the first differences, unseen and bypassed modules.</summary>
    internal static string Explain(TraceDiff diff)
    {
        List<string> said = [.. diff.Incomplete, .. diff.Origins, .. EmptyTraces(diff)];
        if (diff.HasNoDifference)
        {
            var number = diff.Compared > 0 ? $"largest difference {PythonText.General(diff.Largest)}" : "values were not recorded";
            var events = $"{diff.RowCount} event{(diff.RowCount == 1 ? "" : "s")}";
            var agree = diff.Incomplete.Count > 0 ? "agree up to there" : "agree";
            said.Add($"{diff.Names.A} and {diff.Names.B} {agree}: {events} in the same order, {number}.");
            return string.Join('\n', said);
        }

        if (FirstReported(diff) is { } first) said.AddRange([Structure(diff, first), .. HeaderWords.Unseen(diff)]);
        if (diff.FirstNumeric is { } value)
        {
            said.Add(Values(diff, value));
            var before = diff.Numeric[0];
            if (before is { Kind: Difference.ArgumentsKind, DeviceOnly: false } && before.Row < value.Row)
                said.Add($"Before that ({before.Clause}): {before.Message}");
        }

        var bypassed = string.Join(", ", diff.Bypassed.Select(PathName));
        if (bypassed.Length > 0) said.Add($"Run by forward() and so unseen by hooks (C-3): {bypassed}.");
        return string.Join('\n', said);
    }

    // A trace without events, usually because forward() of the root was called directly.
    private static IEnumerable<string> EmptyTraces(TraceDiff diff)
    {
        foreach (var (name, trace) in new[] { (diff.Names.A, diff.A), (diff.Names.B, diff.B) })
        {
            if (!trace.Count.IsZero) continue;
            var words = $"In {name} no module was called and no hook fired (C-3), for example because forward() was run directly.";
            yield return WithFix(words, CallOf("", trace.Runtime));
        }
    }

    // A call without a forward event may have raised. Then the differences inside the call say more.
    private static Difference? FirstReported(TraceDiff diff) =>
        diff.Structural.FirstOrDefault(item => (item.Clause, item.Kind, item.Phase) != ("C-6", StructuralFinding.Lost, TraceEvent.Forward))
        ?? diff.FirstStructural;

    private static string Structure(TraceDiff diff, Difference first)
    {
        var words = $"First structural difference ({first.Clause}, {first.Kind}): {first.Message}";
        if (first is { Clause: "C-9", Row: >= 0 }) words += CallOrder.Describe(diff, first.Row);
        if (diff.Structural.Count > 1) words += $" ({Plural(diff.Structural.Count - 1, "more structural difference")}.)";
        return WithFix(words, first.Fix);
    }

    private static string Values(TraceDiff diff, Difference value)
    {
        var words = $"First difference of {value.Kind} ({value.Clause}): {value.Message}";
        if (value is { Kind: Difference.ValuesKind, Elements: 0 })
            words += " Only digests were recorded: --values full (in Python values='full') shows by how much they differ.";
        if (value == diff.Culprit)
        {
            // A direct call of forward() has no recorded inputs.
            var (x, y) = diff.Rows[value.Row];
            var known = x?.Phase != TraceEvent.Bypass && y?.Phase != TraceEvent.Bypass;
            words += $" {(known ? "Its inputs are equal" : "No value before it differs")}: look here first.";
        }

        return diff.Numeric.Count > 1
            ? $"{words} ({Plural(diff.Numeric.Count - 1, "more difference")} of arguments or values.)"
            : words;
    }
}
