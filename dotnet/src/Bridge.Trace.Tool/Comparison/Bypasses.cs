using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Aligns direct calls of <c>forward()</c>, which run none of the module's hooks.</summary>
internal static class Bypasses
{
    /// <summary>
    /// Returns <paramref name="call"/> with a node added for each direct call of <c>forward()</c> inside it that left no event.
    /// </summary>
    /// <remarks>
    /// An example: inside <paramref name="other"/>, the module <c>block</c> was called. Inside <paramref name="call"/>, only its children
    /// <c>block.conv</c> and <c>block.act</c> were. Then the calls of the children become items of a new bypassed call of <c>block</c>.
    /// </remarks>
    internal static CallNode AddCalls(CallNode call, CallNode other)
    {
        var missing = other.OwnCalls.Select(item => item.Path).ToHashSet(StringComparer.Ordinal);
        missing.ExceptWith(call.OwnCalls.Select(item => item.Path));
        if (missing.Count == 0) return call;
        List<TraceItem> items = [];
        var found = new CallNode(call.Path, call.Type, call.Number, call.Parent, call.Bypassed) { Items = items };
        foreach (var item in call.Items)
        {
            if (item is not CallNode inner || Owners(inner.Path).FirstOrDefault(missing.Contains) is not { } owner)
            {
                items.Add(item);
            }
            else if (items.LastOrDefault() is CallNode last && last.Path == owner && last.Items[0].Path != inner.Path)
            {
                inner.Parent = last;
                last.Items.Add(inner);
            }
            else
            {
                inner.Parent = new(owner, "", -1, found, bypassed: true) { Items = [inner] };
                items.Add(inner.Parent);
            }
        }

        return found;
    }

    /// <summary>Matches the items of a call of a module with those of a direct call of its <c>forward()</c>.</summary>
    /// <remarks>
    /// The inner calls of both are matched, and the <c>forward</c> event with the <c>bypass</c> event. The module call's other events,
    /// which a direct call cannot have, are not reported as differences.
    /// </remarks>
    internal static List<Step> Match(CallNode a, CallNode b, Func<CallNode, CallNode, List<Step>> match)
    {
        TraceEvent[] own = [.. (a.Bypassed ? b : a).OwnEvents];
        var result = Array.Find(own, item => item.Phase == TraceEvent.Forward);
        var bypass = (a.Bypassed ? a : b).OwnEvents.FirstOrDefault();
        var swap = a.Bypassed;
        Step Pair(TraceEvent? mine, TraceEvent? theirs) => swap ? new(theirs, mine) : new(mine, theirs);
        List<Step> steps = [.. own.Where(item => item.Phase == TraceEvent.Pre).Select(item => Pair(item, null))];
        steps.AddRange(match(CallsOnly(a), CallsOnly(b)));
        steps.AddRange(own.Where(item => item.Phase != TraceEvent.Pre).Select(item => Pair(item, item == result ? bypass : null)));
        if (result is null && bypass is not null) steps.Add(Pair(null, bypass));
        return steps;
    }

    private static CallNode CallsOnly(CallNode call) => new(call.Path, call.Type, call.Number, call.Parent) { Items = [.. call.OwnCalls] };

    // The paths of the modules that enclose a module, innermost first.
    private static IEnumerable<string> Owners(string path)
    {
        while (path.Length > 0)
        {
            path = path[..Math.Max(0, path.LastIndexOf('.'))];
            yield return path;
        }
    }
}
