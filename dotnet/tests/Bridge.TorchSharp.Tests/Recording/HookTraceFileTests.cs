using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>When the file of a recording is written, and how the recording is kept if it cannot be.</summary>
public sealed class HookTraceFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_path_that_cannot_be_written_is_refused_before_the_recording()
    {
        var (file, folder) = (Path.Combine(_folder, "run.jsonl"), Path.Combine(_folder, "run.values.safetensors"));
        Directory.CreateDirectory(folder);
        foreach (var (refused, values) in new[] { (_folder, TraceValues.None), (file, TraceValues.Full) })
        {
            var error = Assert.Throws<IOException>(() => HookTrace.Record(new Net(), refused, values));
            Assert.Contains(refused == file ? folder : refused, error.Message);
        }
    }

    [Fact]
    public void A_recording_can_be_saved_after_a_failed_write()
    {
        var model = new Net();
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "gone")).FullName;
        var trace = HookTrace.Record(model, Path.Combine(folder, "run.jsonl"), TraceValues.Digest);
        model.call(ones(3, 4));
        Directory.Delete(folder);
        Assert.Throws<DirectoryNotFoundException>(trace.Dispose);
        Assert.Throws<DirectoryNotFoundException>(trace.Dispose);
        Assert.Throws<DirectoryNotFoundException>(() => trace.Save(Path.Combine(folder, "other.jsonl")));
        // Not recorded any longer.
        model.call(ones(2, 4));
        trace.Save(Path.Combine(_folder, "run.jsonl"));
        Assert.Equal(12, File.ReadAllLines(Path.Combine(_folder, "run.jsonl")).Length);
        var again = Assert.Throws<InvalidOperationException>(() => trace.Save(Path.Combine(_folder, "again.jsonl")));
        Assert.Contains("run.jsonl", again.Message);
        trace.Dispose();
        Assert.Single(Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public void Dispose_can_be_repeated_after_a_failed_write()
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "gone")).FullName;
        var model = new Net();
        var trace = HookTrace.Record(model, Path.Combine(folder, "run.jsonl"));
        model.call(ones(3, 4));
        Directory.Delete(folder);
        Assert.Throws<DirectoryNotFoundException>(trace.Dispose);
        Directory.CreateDirectory(folder);
        trace.Dispose();
        Assert.Equal(12, File.ReadAllLines(Path.Combine(folder, "run.jsonl")).Length);
    }

    [Fact]
    public void A_failed_write_does_not_replace_the_models_exception()
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "gone")).FullName;
        var model = new Given<Tensor, Tensor>(x => throw new InvalidDataException("the model's"));
        var (original, error) = (Console.Error, new StringWriter());
        Console.SetError(error);
        try
        {
            var thrown = Assert.Throws<InvalidDataException>(() =>
            {
                using var trace = HookTrace.Record(model, Path.Combine(folder, "run.jsonl"));
                Directory.Delete(folder);
                model.call(ones(1));
            });
            Assert.Equal("the model's", thrown.Message);
        }
        finally
        {
            Console.SetError(original);
        }

        Assert.Contains(Path.Combine(folder, "run.jsonl"), error.ToString());
        // An exception that was caught is not propagating.
        var other = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        Assert.Throws<InvalidDataException>(() => model.call(ones(1)));
        Directory.CreateDirectory(Path.Combine(_folder, "run.jsonl"));
        Assert.Throws<IOException>(other.Dispose);
    }

    [Fact]
    public void Writing_more_events_needs_no_more_memory()
    {
        var (x, model) = (ones(2, 3), new Given<Tensor, Tensor>(input => input));
        long Needed(int calls)
        {
            var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
            for (var i = 0; i < calls; i++) model.call(x);
            var before = GC.GetAllocatedBytesForCurrentThread();
            trace.Dispose();
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Needed(10);
        var few = Needed(1_000);
        Assert.InRange(Needed(20_000) - few, long.MinValue, 100_000);
    }
}
