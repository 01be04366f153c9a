using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The sums over the events of each module, in memory that depends on the number of modules and not of events.</summary>
internal sealed class ModuleTotals(IReadOnlyList<ModuleNode> modules)
{
    private readonly ModuleSummary[] _modules = [.. modules.Select(node => new ModuleSummary { Path = node.Path, Type = node.Type })];
    private readonly bool[] _returned = new bool[modules.Count];

    /// <summary>Adds an event.</summary>
    /// <param name="node">The module's number.</param>
    /// <param name="found">The event.</param>
    /// <param name="nested">Whether the call is inside another call of the module.</param>
    internal void Add(int node, TraceEvent found, bool nested)
    {
        ref var module = ref _modules[node];
        if (found.Phase == TracePhase.Pre)
        {
            module = module.Calls == 0
                ? module with { Calls = 1, Inputs = found.Values }
                : module with { Calls = module.Calls + 1, Varies = module.Varies || !Alike(module.Inputs, found.Values) };
            return;
        }

        var bytes = module.OutputBytes + found.Values.Sum(value => value.Bytes);
        module = _returned[node]
            ? module with { OutputBytes = bytes, Varies = module.Varies || !Alike(module.Outputs, found.Values) }
            : module with { OutputBytes = bytes, Outputs = found.Values };
        _returned[node] = true;
        if (found.Cost is not { } cost) return;
        var sum = module.Cost ?? new(default, default, 0);
        module = module with
        {
            Cost = new(
                sum.Time + (nested ? default : cost.Time),
                sum.OwnTime + cost.OwnTime,
                sum.ManagedBytes + (nested ? 0 : cost.ManagedBytes)),
        };
    }

    internal IReadOnlyList<ModuleSummary> Summarize() => [.. _modules];

    private static bool Alike(IReadOnlyList<TraceValue> first, IReadOnlyList<TraceValue> second) =>
        first.Count == second.Count
        && first.Zip(second).All(pair => pair.First.Kind == pair.Second.Kind
            && pair.First.DType == pair.Second.DType && pair.First.Shape.SequenceEqual(pair.Second.Shape));
}
