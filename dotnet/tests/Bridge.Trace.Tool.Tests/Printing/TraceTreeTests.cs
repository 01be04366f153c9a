using Bridge.Trace.Tool.Printing;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Tests.Printing;

public sealed class TraceTreeTests : TraceFolder
{
    [Fact]
    public void CallsAreIndented() => Assert.Equal(
        [
            "torchsharp 0.107.0, torch 2.10.0, .NET 10.0.1, cpu, seed 0, values: none",
            "(root) Net 3x4 -> 3x2",
            "  fc Linear 3x4 -> 3x2",
            "4 events, 2 module calls",
        ],
        Lines(Net()));

    [Fact]
    public void UnseenModulesAreCounted()
    {
        var path = Write("a.jsonl", Net());
        const string Roots = "\"roots\":[\"\"],";
        File.WriteAllText(path, File.ReadAllText(path).Replace(Roots, Roots + "\"unseen\":[\"a\",\"b\"],", StringComparison.Ordinal));
        Assert.EndsWith(", values: none, unseen: 2 modules", TraceTree.Lines(TraceReader.Read(path), null).First());
    }

    [Fact]
    public void BypassedModulesAreMarked() =>
        Assert.Contains("  fc Linear run by forward(), no hook fired -> 3x2", Lines(Net("bypass")));

    [Fact]
    public void CallsThatRaisedAreMarked() =>
        Assert.Contains("(root) Net 3x4 -> no result: the call did not end", Lines(Net()[..3]));

    [Fact]
    public void NamesAreRelativeToTheEnclosingModule()
    {
        string[] events =
        [
            Event(0, "block", "Block", "pre", 0, -1),
            Event(1, "block.0", "ReLU", "pre", 1, 0, """{"kind":"none"},{"kind":"str","literal":"sum"}"""),
            Event(2, "block.0", "ReLU", "forward", 1, 0), Event(3, "block", "Block", "forward", 0, -1),
        ];
        Assert.Equal(["block Block () -> ()", "  0 ReLU null, 'sum' -> ()"], Lines(events)[1..3]);
        Assert.Equal(["block.0 ReLU null, 'sum' -> ()"], Lines(events, "block.0")[1..^1]);
    }

    private string[] Lines(string[] events, string? path = null) => [.. TraceTree.Lines(TraceReader.Read(Write("a.jsonl", events)), path)];
}
