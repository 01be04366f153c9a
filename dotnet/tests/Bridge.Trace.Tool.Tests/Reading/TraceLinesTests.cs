using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Tests.Reading;

public sealed class TraceLinesTests : TraceFolder
{
    [Fact]
    public void BlocksHaveCompleteLines()
    {
        const int Count = 10_000;
        string[] lines = [.. Enumerable.Range(0, Count).Select(k => Event(k, "fc", "Linear", "pre", k, -1))];
        var path = Write("a.jsonl", lines);
        Assert.True(new FileInfo(path).Length > TraceLines.BlockSize);
        var trace = TraceReader.Read(path);
        Assert.Equal(Enumerable.Range(0, Count), trace.Events.Select(item => item.Number));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void LongLinesAreRefused(int line)
    {
        var path = Path("a.jsonl");
        var lines = File.ReadAllLines(Write("b.jsonl", Net()));
        lines[line] = $"{{\"path\":\"{new string('x', TraceLines.MaxLine)}";
        File.WriteAllText(path, string.Join('\n', lines[..(line + 1)]));
        var error = Assert.Throws<TraceFileException>(() => TraceReader.Read(path));
        Assert.Equal((TraceFileError.LineTooLongError, line + 1), (error.Error, error.Line));
    }

    [Fact]
    public void MissingFilesAndFoldersAreNamed()
    {
        var error = Assert.Throws<TraceFileException>(() => TraceReader.Read(Path("none.jsonl")));
        Assert.Equal($"{Path("none.jsonl")}: cannot be read (No such file or directory)", error.Message);
        Assert.Throws<TraceFileException>(() => TraceReader.Read(Path("")));
    }

    [Fact]
    public void TruncatedFilesKeepTheirEvents()
    {
        var path = Write("a.jsonl", Net());
        File.WriteAllLines(path, File.ReadAllLines(path)[..3]);
        var trace = TraceReader.ReadTruncated(path, out var truncated);
        Assert.Equal(["", "fc"], trace.Events.Select(item => item.Path));
        Assert.Equal(TraceFileError.TraceCutOffError, truncated!.Error);
        Assert.Throws<TraceFileException>(() => TraceReader.Read(path));
    }
}
