namespace Bridge.Trace.Tool.Comparison;

/// <summary>Turns a lost and an added call of equal paths into a moved call.</summary>
internal static class MovedCalls
{
    /// <summary>
    /// Replaces a lost and an added call of equal paths and equal <see cref="StructuralFinding.Root"/> with one moved call.
    /// </summary>
    /// <remarks>
    /// A lost call also becomes a moved call if an added call contains a call of the same path. Likewise, an added call becomes a moved
    /// call if a lost call contains a call of the same path.
    /// </remarks>
    internal static IEnumerable<StructuralFinding> Merge(List<StructuralFinding> findings)
    {
        HashSet<StructuralFinding> dropped = [];
        var groups = findings.Where(finding => finding.Kind is StructuralFinding.Lost or StructuralFinding.Added)
            .GroupBy(finding => finding.Root);
        foreach (var group in groups.ToList())
        {
            List<StructuralFinding> lost = [.. group.Where(finding => finding.A is CallNode)];
            List<StructuralFinding> added = [.. group.Where(finding => finding.B is CallNode)];
            if (lost.Count == 0 || added.Count == 0) continue;
            MergePairs(lost, added, dropped);
            MergeInnerCalls(lost, [.. added.Where(finding => !dropped.Contains(finding))], added);
        }

        return findings.Where(finding => !dropped.Contains(finding));
    }

    private static void MergePairs(List<StructuralFinding> lost, List<StructuralFinding> added, HashSet<StructuralFinding> dropped)
    {
        var byPath = added.GroupBy(finding => finding.B!.Path)
            .ToDictionary(group => group.Key, group => new Queue<StructuralFinding>(group));
        foreach (var finding in lost)
        {
            if (!byPath.TryGetValue(finding.A!.Path, out var partners) || !partners.TryDequeue(out var partner)) continue;
            finding.MakeMoved((CallNode)finding.A, (CallNode)partner.B!);
            finding.OtherRow = partner.Row;
            dropped.Add(partner);
        }
    }

    private static void MergeInnerCalls(List<StructuralFinding> lost, List<StructuralFinding> remaining, List<StructuralFinding> added)
    {
        var insideLost = CallsByPath(lost.Where(finding => finding.Kind == StructuralFinding.Lost).Select(finding => (CallNode)finding.A!));
        var insideAdded = CallsByPath(added.Select(finding => (CallNode)finding.B!));
        foreach (var finding in lost.Where(finding => finding.Kind == StructuralFinding.Lost))
        {
            if (insideAdded.TryGetValue(finding.A!.Path, out var found) && found.TryDequeue(out var call))
                finding.MakeMoved((CallNode)finding.A, call);
        }

        foreach (var finding in remaining)
        {
            if (insideLost.TryGetValue(finding.B!.Path, out var found) && found.TryDequeue(out var call))
                finding.MakeMoved(call, (CallNode)finding.B);
        }
    }

    private static Dictionary<string, Queue<CallNode>> CallsByPath(IEnumerable<CallNode> calls) =>
        calls.SelectMany(call => call.Inside()).GroupBy(call => call.Path)
            .ToDictionary(group => group.Key, group => new Queue<CallNode>(group));
}
