using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>The sums over a module's events.</summary>
public sealed class ModuleTotalsTests
{
    private readonly ModuleTotals _totals = new([new(new Net(), "", null)]);

    [Fact]
    public void A_module_without_calls_has_only_names()
    {
        Assert.Equal(new ModuleSummary { Path = "", Type = "Net" }, _totals.Summarize()[0] with { Inputs = [], Outputs = [] });
    }

    [Fact]
    public void The_first_values_are_kept_and_bytes_added()
    {
        Add(TracePhase.Pre, [3, 4]);
        Add(TracePhase.Pre, [3, 4]);
        Add(TracePhase.Forward, [3, 2]);
        Add(TracePhase.Forward, [3, 2]);
        var found = _totals.Summarize()[0];
        Assert.Equal((2, false, 2 * 6 * 4), (found.Calls, found.Varies, found.OutputBytes));
        Assert.Equal(["[3x4]", "[3x2]"], [found.Inputs[0].ShortText, found.Outputs[0].ShortText]);
    }

    [Theory]
    [InlineData(TracePhase.Pre)]
    [InlineData(TracePhase.Forward)]
    public void Other_shapes_of_arguments_or_results_are_noticed(TracePhase phase)
    {
        Add(phase, [3, 4]);
        Assert.False(_totals.Summarize()[0].Varies);
        Add(phase, [3, 5]);
        Add(phase, [3, 4]);
        Assert.True(_totals.Summarize()[0].Varies);
    }

    [Fact]
    public void The_time_of_a_call_inside_a_call_of_the_module_is_not_counted_twice()
    {
        Add(TracePhase.Pre, [1]);
        Add(TracePhase.Pre, [1], nested: true);
        Add(TracePhase.Forward, [1], nested: true, new(TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(2), 10));
        Add(TracePhase.Forward, [1], nested: false, new(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(3), 15));
        Assert.Equal(new CallCost(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(5), 15), _totals.Summarize()[0].Cost);
    }

    private void Add(TracePhase phase, long[] shape, bool nested = false, CallCost? cost = null)
    {
        var value = new TraceValue { Kind = ValueKind.Tensor, DType = "float32", Shape = shape };
        var found = new TraceEvent
        {
            Number = 0,
            Phase = phase,
            Path = "",
            Type = "Net",
            Call = 0,
            Parent = -1,
            Depth = 0,
            Values = [value],
            Cost = cost,
        };
        _totals.Add(0, found, nested);
    }
}
