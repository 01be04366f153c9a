using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Represents a module call, or the entire trace. <see cref="Items"/> are its own events and its inner calls, in order.</summary>
/// <remarks>
/// A direct call of <c>forward()</c>, which runs no hooks of the module, is <see cref="Bypassed"/>. Its only own event, if any, is a
/// <c>bypass</c> event.
/// </remarks>
internal sealed class CallNode(string path, string type, int number, CallNode? parent = null, bool bypassed = false) : TraceItem
{
    private string _path = path;

    internal override string Path => _path;

    internal string Type { get; private set; } = type;

    internal int Number { get; } = number;

    internal CallNode? Parent { get; set; } = parent;

    internal bool Bypassed { get; private set; } = bypassed;

    internal List<TraceItem> Items { get; init; } = [];

    internal IEnumerable<TraceEvent> OwnEvents => Items.OfType<TraceEvent>();

    internal IEnumerable<CallNode> OwnCalls => Items.OfType<CallNode>();

    /// <summary>Returns the calls of a trace as a tree. The root stands for the entire trace and has the number -1.</summary>
    /// <remarks>
    /// A bypass event comes after the calls that the bypassed <c>forward()</c> made. These calls become children of the bypassed call. A
    /// call that encloses others but has no events gets a node without a path, at the end of the root's items.
    /// </remarks>
    internal static CallNode Tree(IEnumerable<TraceEvent> events)
    {
        var top = new CallNode("", "", -1);
        var calls = new Dictionary<int, CallNode> { [-1] = top };
        var pending = new OrderedCalls();
        foreach (var item in events)
        {
            var call = item.Phase == TraceEvent.Bypass ? Bypass(item, top, calls, pending) : Called(item, calls, pending);
            call.Items.Add(item);
        }

        foreach (var orphan in pending.All)
        {
            orphan.Parent = top;
            top.Items.Add(orphan);
        }

        return top;
    }

    /// <summary>Returns an event itself, or the events of a call and of all calls inside it, in order.</summary>
    internal static IEnumerable<TraceEvent> Walk(TraceItem item)
    {
        if (item is TraceEvent single) yield return single;
        if (item is not CallNode root) yield break;
        var stack = new Stack<(CallNode Call, int Next)>([(root, 0)]);
        while (stack.TryPop(out var top))
        {
            if (top.Next == top.Call.Items.Count) continue;
            stack.Push((top.Call, top.Next + 1));
            if (top.Call.Items[top.Next] is CallNode inner) stack.Push((inner, 0));
            else yield return (TraceEvent)top.Call.Items[top.Next];
        }
    }

    /// <summary>Returns the calls inside this one, outer ones first.</summary>
    internal IEnumerable<CallNode> Inside()
    {
        var stack = new Stack<CallNode>([this]);
        while (stack.TryPop(out var call))
        {
            CallNode[] inner = [.. call.OwnCalls];
            foreach (var item in inner) yield return item;
            for (var k = inner.Length - 1; k >= 0; k--) stack.Push(inner[k]);
        }
    }

    private static CallNode Called(TraceEvent item, Dictionary<int, CallNode> calls, OrderedCalls pending)
    {
        if (calls.TryGetValue(item.Call, out var found)) return found;
        var parent = Enclosing(item.Parent, calls, pending);
        var call = pending.Pop(item.Call) ?? new(item.Path, item.Type, item.Call);
        (call._path, call.Type, call.Parent) = (item.Path, item.Type, parent);
        calls[item.Call] = call;
        parent.Items.Add(call);
        return call;
    }

    private static CallNode Bypass(TraceEvent item, CallNode top, Dictionary<int, CallNode> calls, OrderedCalls pending)
    {
        var own = pending.Pop(item.Call);
        var outer = calls.GetValueOrDefault(item.Call);
        var parent = outer is not null && outer != top ? outer : Enclosing(item.Parent, calls, pending);
        var call = own ?? new(item.Path, item.Type, item.Call);
        (call._path, call.Type, call.Bypassed, call.Parent) = (item.Path, item.Type, true, parent);
        if (outer is null) calls[item.Call] = call;
        Adopt(parent, call);
        parent.Items.Add(call);
        return call;
    }

    private static CallNode Enclosing(int number, Dictionary<int, CallNode> calls, OrderedCalls pending) =>
        calls.GetValueOrDefault(number) ?? pending.GetOrAdd(number);

    // Moves the calls of the bypassed module's submodules that directly precede it from the parent to the bypassed call. Moves none for the
    // root module, whose path is empty.
    private static void Adopt(CallNode parent, CallNode bypass)
    {
        var prefix = $"{bypass.Path}.";
        var start = parent.Items.Count;
        while (start > 0 && parent.Items[start - 1] is CallNode item && item.Path.StartsWith(prefix, StringComparison.Ordinal))
        {
            item.Parent = bypass;
            start--;
        }

        bypass.Items.InsertRange(0, parent.Items[start..]);
        parent.Items.RemoveRange(start, parent.Items.Count - start);
    }

    // The calls that enclose others and have no event yet, in the order in which they were met.
    private sealed class OrderedCalls
    {
        private readonly Dictionary<int, CallNode> _byNumber = [];
        private readonly List<CallNode> _order = [];

        internal IEnumerable<CallNode> All => _order.Where(call => _byNumber.GetValueOrDefault(call.Number) == call);

        internal CallNode GetOrAdd(int number)
        {
            if (_byNumber.TryGetValue(number, out var call)) return call;
            call = _byNumber[number] = new("", "", number);
            _order.Add(call);
            return call;
        }

        internal CallNode? Pop(int number) => _byNumber.Remove(number, out var call) ? call : null;
    }
}
