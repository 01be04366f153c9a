using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>When a recording's file is written, and what becomes of the recording where it cannot be.</summary>
public sealed class HookTraceFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Where_no_trace_can_be_is_said_before_anything_is_recorded()
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
    public void A_recording_that_could_not_be_written_can_be_saved_again()
    {
        var model = new Net();
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "gone")).FullName;
        var trace = HookTrace.Record(model, Path.Combine(folder, "run.jsonl"), TraceValues.Digest);
        model.call(ones(3, 4));
        Directory.Delete(folder);
        Assert.Throws<DirectoryNotFoundException>(trace.Dispose);
        Assert.Throws<DirectoryNotFoundException>(trace.Dispose);
        Assert.Throws<DirectoryNotFoundException>(() => trace.Save(Path.Combine(folder, "other.jsonl")));
        // Not recorded any more.
        model.call(ones(2, 4));
        trace.Save(Path.Combine(_folder, "run.jsonl"));
        Assert.Equal(12, File.ReadAllLines(Path.Combine(_folder, "run.jsonl")).Length);
        Assert.Contains("run.jsonl", Assert.Throws<InvalidOperationException>(() => trace.Save(Path.Combine(_folder, "again.jsonl"))).Message);
        trace.Dispose();
        Assert.Single(Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public void A_second_Dispose_writes_what_the_first_could_not()
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
    public void The_models_exception_is_not_hidden_by_a_file_that_cannot_be_written()
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "gone")).FullName;
        var model = new Given<Tensor, Tensor>(x => throw new InvalidDataException("the model's"));
        var (before, said) = (Console.Error, new StringWriter());
        Console.SetError(said);
        try
        {
            var error = Assert.Throws<InvalidDataException>(() =>
            {
                using var trace = HookTrace.Record(model, Path.Combine(folder, "run.jsonl"));
                Directory.Delete(folder);
                model.call(ones(1));
            });
            Assert.Equal("the model's", error.Message);
        }
        finally
        {
            Console.SetError(before);
        }

        Assert.Contains(Path.Combine(folder, "run.jsonl"), said.ToString());
        // One that was caught before is on its way no more.
        var other = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        Assert.Throws<InvalidDataException>(() => model.call(ones(1)));
        Directory.CreateDirectory(Path.Combine(_folder, "run.jsonl"));
        Assert.Throws<IOException>(other.Dispose);
    }

    [Fact]
    public void Writing_needs_no_more_memory_for_more_events()
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
