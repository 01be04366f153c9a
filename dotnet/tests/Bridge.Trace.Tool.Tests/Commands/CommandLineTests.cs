using Bridge.Trace.Tool.Commands;

namespace Bridge.Trace.Tool.Tests.Commands;

public sealed class CommandLineTests : TraceFolder
{
    [Fact]
    public void EqualTracesGiveZero()
    {
        var (code, output, _) = Run("diff", Write("a.jsonl", Net()), Write("b.jsonl", "pytorch", Net()));
        Assert.Equal((0, "torchsharp and pytorch agree: 4 events in the same order, values were not recorded.\n"), (code, output));
    }

    [Fact]
    public void DifferentTracesGiveOne()
    {
        var (code, output, _) = Run("diff", Write("a.jsonl", "pytorch", Net()), Write("b.jsonl", Net("bypass")));
        Assert.Equal(1, code);
        const string Words = "fc was run by forward(), not call(), in torchsharp: its hooks never fired. Write fc.call(x).\n";
        Assert.Contains(Words, output, StringComparison.Ordinal);
    }

    [Fact]
    public void JsonIsWrittenToAFileOrPrinted()
    {
        string a = Write("a.jsonl", Net()), b = Write("b.jsonl", "pytorch", Net()), json = Path("out.json");
        Assert.Equal(0, Run("diff", a, b, "--json", json).Code);
        var text = File.ReadAllText(json);
        Assert.StartsWith("{\n  \"verdict\": \"same\",\n", text, StringComparison.Ordinal);
        Assert.Equal((0, text, ""), Run("diff", a, b, "--json=-"));
        Assert.Equal(2, Run("diff", a, b, "--json", a).Code);
        Assert.StartsWith("{\"schema\"", File.ReadAllText(a), StringComparison.Ordinal);
    }

    [Fact]
    public void UnreadableFilesGiveTwo()
    {
        var a = Write("a.jsonl", Net());
        File.WriteAllLines(a, File.ReadAllLines(a)[1..]);
        var (code, output, errors) = Run("diff", a, Write("b.jsonl", Net()), "--json", "-");
        Assert.Equal(2, code);
        Assert.Equal($"cannot run: {a}, line 1, field 'schema': not a trace file: its first line has no schema version\n", errors);
        Assert.Contains("\"type\": \"NotATraceError\"", output, StringComparison.Ordinal);
    }

    [Fact]
    public void TruncatedFilesAreComparedAsFarAsTheyGo()
    {
        var a = Write("a.jsonl", Net());
        File.WriteAllLines(a, File.ReadAllLines(a)[..^2]);
        var (code, output, _) = Run("diff", a, Write("b.jsonl", "pytorch", Net()));
        Assert.Equal(1, code);
        Assert.StartsWith("a.jsonl is incomplete: it has no footer", output, StringComparison.Ordinal);
        Assert.Contains("torchsharp and pytorch agree up to there: 3 events", output, StringComparison.Ordinal);
    }

    [Fact]
    public void ShowPrintsAsMuchAsATruncatedFileHas()
    {
        var a = Write("a.jsonl", Net());
        Assert.Equal(0, Run("show", a, "--path", "fc").Code);
        File.WriteAllLines(a, File.ReadAllLines(a)[..3]);
        var (code, output, errors) = Run("show", a);
        Assert.Equal(2, code);
        Assert.Contains("  fc Linear 3x4 -> no result: the call did not end\n", output, StringComparison.Ordinal);
        Assert.Contains("the file is truncated", errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a command is expected")]
    [InlineData("the command 'compare' is unknown", "compare")]
    [InlineData("diff compares two files", "diff", "a.jsonl")]
    [InlineData("diff has no option --html. It has --rtol, --atol, --json. python -m bridge diff", "diff", "a", "b", "--html", "x")]
    [InlineData("--rtol must be a finite number of at least 0, not 'nan'", "diff", "a", "b", "--rtol", "nan")]
    [InlineData("--atol must be a finite number of at least 0, not '-1'", "diff", "a", "b", "--atol=-1")]
    [InlineData("--atol needs a value", "diff", "a", "b", "--atol")]
    [InlineData("--atol is given twice", "diff", "a", "b", "--atol", "1", "--atol", "2")]
    [InlineData("show reads one file", "show")]
    [InlineData("nowhere does not exist", "doctor", "nowhere")]
    [InlineData("doctor has no option --json.", "doctor", "--json", "-")]
    public void WrongArgumentsGiveTwo(string words, params string[] args)
    {
        var (code, output, errors) = Run(args);
        Assert.Equal((2, ""), (code, output));
        Assert.StartsWith($"cannot run: {words}", errors, StringComparison.Ordinal);
    }

    [Fact]
    public void HelpFitsEightyColumns()
    {
        var (code, output, _) = Run("--help");
        Assert.Equal(0, code);
        Assert.True(output.Split('\n').Max(line => line.Length) <= 80);
        Assert.Equal("0.1.0\n", Run("--version").Output);
    }

    private static (int Code, string Output, string Errors) Run(params string[] args)
    {
        using StringWriter output = new() { NewLine = "\n" }, errors = new() { NewLine = "\n" };
        return (CommandLine.Run(args, output, errors), output.ToString(), errors.ToString());
    }
}
