using Bridge.Trace.Tool.Inspection;

namespace Bridge.Trace.Tool.Tests.Inspection;

public sealed class DirectCallsTests
{
    private static readonly string Ours = typeof(Examined).Assembly.Location;

    [Fact]
    public void CallsOfForwardAreFound() => Assert.Equal(Enumerable.Repeat("Examined.forward", 3), DirectCalls.Find(Ours));

    [Fact]
    public void TheMethodIsNamed()
    {
        var check = DirectCalls.Check(Ours);
        Assert.Equal((CheckState.Note, "3 calls of forward(), which fire no hooks: in Examined.forward"), (check.State, check.Text));
    }

    [Fact]
    public void AssembliesWithoutTorchSharpHaveNone()
    {
        Assert.Empty(DirectCalls.Find(typeof(DirectCalls).Assembly.Location));
        Assert.Equal(CheckState.Ok, DirectCalls.Check(typeof(FactAttribute).Assembly.Location).State);
    }

    [Fact]
    public void OtherFilesHaveNone() => Assert.Empty(DirectCalls.Find(Path.Combine(AppContext.BaseDirectory, "pairs.jsonl")));
}
