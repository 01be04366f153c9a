using Bridge.Trace.Tool.Reading;
using static Bridge.Trace.Tool.Comparison.Phrases;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Describes structural differences.</summary>
/// <param name="names">The names of the two traces.</param>
internal sealed class StructureWords((string A, string B) names)
{
    private readonly Places _places = new();

    internal Difference Describe(StructuralFinding finding)
    {
        var item = finding.A ?? finding.B!;
        var (kind, clause, message, fix) = (finding.Kind, "C-9", "", "");
        switch (finding.Kind)
        {
            case StructuralFinding.Bypass:
                var (a, b) = ((CallNode)finding.A!, (CallNode)finding.B!);
                kind = a.Bypassed ? StructuralFinding.Added : StructuralFinding.Lost;
                (message, fix) = BypassWords(a.Bypassed ? a : b, a.Bypassed ? names.A : names.B);
                (clause, item) = ("C-3", a.Bypassed ? b : a);
                break;
            case StructuralFinding.Moved:
                (clause, message) = MovedWords(finding);
                break;
            default:
                (clause, message, fix) = MissingWords(finding, item);
                break;
        }

        return new()
        {
            Kind = kind,
            Clause = clause,
            Path = item.Path,
            Phase = item is TraceEvent own ? own.Phase : ((CallNode)item).Bypassed ? TraceEvent.Bypass : TraceEvent.Pre,
            Message = message,
            Positions = (First(finding.A)?.Number, First(finding.B)?.Number),
            Row = finding.Row,
            Fix = fix,
        };
    }

    private static TraceEvent? First(TraceItem? item) => item is null ? null : CallNode.Walk(item).FirstOrDefault();

    private (string Clause, string Message, string Fix) MissingWords(StructuralFinding finding, TraceItem item)
    {
        var (here, there) = finding.A is not null ? names : (names.B, names.A);
        var (mine, theirs) = finding.A is not null ? finding.Times : (finding.Times.B, finding.Times.A);
        var name = PathName(item.Path);
        if (item is TraceEvent own)
        {
            var words = $"{name}: a {own.Scope} {own.Phase} event (hook {own.Hook}) happened ";
            words += theirs > 0 ? $"{Times(mine)} in {here} and {Times(theirs)} in {there}." : $"in {here} and not in {there}.";
            if (own.Phase == TraceEvent.Forward && theirs == 0) words += " The call may have raised.";
            return ("C-6", words, "");
        }

        var call = (CallNode)item;
        if (call.Bypassed)
        {
            var (words, fix) = BypassWords(call, here);
            return ("C-3", $"{words} In {there}, the module is not run at this point.", fix);
        }

        var inner = call.Inside().Count();
        var more = inner > 0 ? $" (with {Plural(inner, "call")} inside)" : "";
        var outer = call.Parent?.Parent is not null ? $" inside {PathName(call.Parent.Path)}" : "";
        var message = theirs > 0
            ? $"{name} is called {Times(mine)}{outer} in {here}{more}, and {Times(theirs)} in {there}."
            : $"{name} is called{outer} in {here}{more} and not in {there}.";
        return ("C-9", message, "");
    }

    // A sentence about a direct call of forward(), and the code that calls the module with its hooks.
    private static (string Words, string Fix) BypassWords(CallNode call, string runtime)
    {
        var name = PathName(call.Path);
        var words = call.OwnEvents.Any()
            ? $"{name} was run by forward(), not call(), in {runtime}"
            : $"{name} was not called in {runtime}, but its children were, as when its forward() is run directly";
        return ($"{words}: its hooks never fired.", CallOf(call.Path, runtime));
    }

    private (string Clause, string Message) MovedWords(StructuralFinding finding)
    {
        var (a, b) = (finding.A!, finding.B!);
        var (outerA, outerB) = (finding.Parents.A!, finding.Parents.B!);
        if (a is not TraceEvent hook)
        {
            var (placeA, placeB) = (_places.Words((CallNode)a, outerA), _places.Words((CallNode)b, outerB));
            return ("C-9", $"{PathName(a.Path)} is called {placeA} in {names.A}, but {placeB} in {names.B}.");
        }

        var scopes = outerA.OwnEvents.Where(item => item.Phase == hook.Phase).Select(item => item.Scope).Distinct().Count();
        var (here, there) = (_places.Number(a, outerA), _places.Number(b, outerB));
        var words = $"{PathName(outerA.Path)}: the {hook.Scope} {hook.Phase} hook {hook.Hook} fires as event {here} of the call";
        return (scopes > 1 ? "O-1" : "O-2", $"{words} in {names.A}, but as event {there} in {names.B}.");
    }

    // The positions of events and calls within their enclosing calls, computed once for each enclosing call.
    private sealed class Places
    {
        private readonly Dictionary<(CallNode, bool), (List<TraceItem> Same, Dictionary<TraceItem, int> Indices)> _known = [];

        internal int Number(TraceItem item, CallNode outer) => Of(item, outer).Index + 1;

        // The position of a call within its enclosing call, such as '3rd inside block1, after conv1'.
        internal string Words(CallNode call, CallNode outer)
        {
            var (inside, index) = Of(call, outer);
            var words = Ordinal(index + 1) + (outer.Parent is not null ? $" inside {PathName(outer.Path)}" : "");
            if (index > 0) return $"{words}, after {PathName(inside[index - 1].Path)}";
            return inside.Count > 1 ? $"{words}, before {PathName(inside[1].Path)}" : words;
        }

        private (List<TraceItem> Same, int Index) Of(TraceItem item, CallNode outer)
        {
            var isCall = item is CallNode;
            if (!_known.TryGetValue((outer, isCall), out var found))
            {
                List<TraceItem> same = [.. outer.Items.Where(entry => entry is CallNode == isCall)];
                var indices = same.Select((entry, k) => (entry, k)).ToDictionary(pair => pair.entry, pair => pair.k);
                found = _known[(outer, isCall)] = (same, indices);
            }

            return (found.Same, found.Indices[item]);
        }
    }
}
