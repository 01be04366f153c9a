using Bridge.Trace.Tool.Comparison;
using Bridge.Trace.Tool.Reading;
using static Bridge.Trace.Tool.Printing.PythonText;

namespace Bridge.Trace.Tool.Printing;

/// <summary>Prints the calls of a trace as a tree, a line for each call.</summary>
internal static class TraceTree
{
    private const int LongText = 24;

    /// <summary>Returns the header in a line, a line for each call, and the number of events.</summary>
    /// <param name="trace">The trace.</param>
    /// <param name="path">The module whose calls are printed; null for all.</param>
    internal static IEnumerable<string> Lines(RecordedTrace trace, string? path)
    {
        yield return Header(trace.Header);
        // The calls to print, with their depths; the last is the next one.
        var stack = new Stack<(CallNode Call, int Depth)>();
        foreach (var call in Roots(CallNode.Tree(trace.Events), path)) Push(stack, call);
        while (stack.TryPop(out var next))
        {
            yield return $"{new string(' ', 2 * next.Depth)}{Call(next.Call, next.Depth > 0)}";
            foreach (var inner in next.Call.OwnCalls.Reverse()) stack.Push((inner, next.Depth + 1));
        }

        yield return $"{Phrases.Plural(trace.Events.Count, "event")}, {Phrases.Plural(trace.Calls, "module call")}";
    }

    private static void Push(Stack<(CallNode Call, int Depth)> stack, CallNode call) => stack.Push((call, 0));

    // The outermost calls of a module, the last one first.
    private static IEnumerable<CallNode> Roots(CallNode top, string? path) => path is null
        ? top.OwnCalls.Reverse()
        : top.Inside().Where(call => call.Path == path && !Ancestors(call).Any(outer => outer.Path == path && outer != top)).Reverse();

    private static IEnumerable<CallNode> Ancestors(CallNode call)
    {
        for (var outer = call.Parent; outer is not null; outer = outer.Parent) yield return outer;
    }

    private static string Header(TraceFileHeader header)
    {
        List<string> parts = [$"{header.Runtime} {header.RuntimeVersion}".TrimEnd()];
        if (header.Torch.Length > 0 && header.Torch != header.RuntimeVersion) parts.Add($"torch {header.Torch}");
        if (!string.IsNullOrEmpty(header.DotNet)) parts.Add($".NET {header.DotNet}");
        if (header.Device.Length > 0) parts.Add(header.Device);
        parts.Add($"seed {header.Seed}");
        parts.Add($"values: {header.Values}");
        if (header.Unseen.Count > 0) parts.Add($"unseen: {Phrases.Plural(header.Unseen.Count, "module")}");
        return Printable(string.Join(", ", parts));
    }

    private static string Call(CallNode call, bool inner)
    {
        var before = call.OwnEvents.FirstOrDefault(item => item.Phase == TraceEvent.Pre);
        var after = call.OwnEvents.LastOrDefault(item => item.Phase != TraceEvent.Pre);
        var words = $"{Name(call, inner)} {Printable(call.Type)}".TrimEnd();
        if (call.Bypassed) return $"{words} run by forward(), no hook fired{(after is null ? "" : $" -> {Values(after)}")}";
        if (before is null) return $"{words} (no event of the call itself)";
        return $"{words} {Values(before)} -> {(after is null ? "no result: the call did not end" : Values(after))}";
    }

    // The part of the path that the enclosing call's path does not have.
    private static string Name(CallNode call, bool inner)
    {
        if (call.Path.Length == 0) return "(root)";
        var outer = inner && call.Parent is { Path.Length: > 0 } parent ? $"{parent.Path}." : "";
        return Printable(call.Path.StartsWith(outer, StringComparison.Ordinal) ? call.Path[outer.Length..] : call.Path);
    }

    private static string Values(TraceEvent item) => item.Values.Length == 0 ? "()" : string.Join(", ", item.Values.Select(Value));

    // A tensor as `1x3x12x12`, followed by a dtype other than float32 and a device other than cpu.
    private static string Value(TraceValue value)
    {
        if (value.Kind == "none") return "null";
        if (!value.IsTensor) return value.Literal is null ? value.Kind : Shorten(Repr(value.Literal));
        var sizes = value.Shape!.Length == 0 ? "scalar" : string.Join('x', value.Shape);
        var dtype = value.DType == "float32" ? "" : $" {value.DType}";
        return Printable(sizes + dtype + (value.Device == "cpu" ? "" : $"@{value.Device}"));
    }

    private static string Shorten(string text) => text.Length <= LongText ? text : $"{text[..LongText]}…";
}
