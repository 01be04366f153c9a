using System.Collections;
using System.Diagnostics;
using System.Text.Json;
using Bridge.Hooks;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Writing each event to the file at once.</summary>
public sealed class EventStreamTests : IDisposable
{
    private static readonly TraceOptions Streamed = new() { Stream = true };
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    private string Run => Path.Combine(_folder, "run.jsonl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("fail")]
    [InlineData("kill")]
    public void A_process_that_dies_leaves_all_events_so_far(string how)
    {
        var start = new ProcessStartInfo("dotnet") { RedirectStandardError = true, RedirectStandardOutput = true };
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        foreach (var argument in new[] { "exec", typeof(KilledProgram).Assembly.Location, Run, how }) start.ArgumentList.Add(argument);
        using (var process = Process.Start(start)!)
        {
            process.ErrorDataReceived += (_, _) => { };
            process.BeginErrorReadLine();
            process.WaitForExit();
            Assert.NotEqual(0, process.ExitCode);
        }

        var lines = File.ReadAllLines(Run);
        var events = lines[1..].Select(line => JsonDocument.Parse(line).RootElement).ToArray();
        Assert.Equal(
            ["pre ", "pre first", "forward first", "pre last"],
            events.Select(line => $"{line.GetProperty("phase")} {line.GetProperty("path")}"));
        Assert.EndsWith("\n", File.ReadAllText(Run));
    }

    [Theory]
    [InlineData(TraceValues.None)]
    [InlineData(TraceValues.Digest)]
    public void The_file_has_the_same_events_and_footer_as_one_that_is_written_at_the_end(TraceValues values)
    {
        var (model, x) = (new Net(), ones(3, 4));
        var other = Path.Combine(_folder, "other.jsonl");
        using (HookTrace.Record(model, Run, new TraceOptions { Stream = true, Values = values })) model.call(x);
        using (HookTrace.Record(model, other, values)) model.call(x);
        Assert.Equal(File.ReadAllLines(other)[1..], File.ReadAllLines(Run)[1..]);
        Assert.StartsWith("{\"schema\":1", File.ReadAllLines(Run)[0]);
    }

    [Fact]
    public void Threads_write_whole_lines_under_their_own_calls()
    {
        var (model, x) = (new Net(), ones(3, 4));
        using (HookTrace.Record(model, Run, Streamed))
        {
            var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
            {
                for (var i = 0; i < 50; i++) model.call(x);
            })).ToArray();
            foreach (var thread in threads) thread.Start();
            foreach (var thread in threads) thread.Join();
        }

        var events = File.ReadAllLines(Run)[1..^1].Select(line => JsonDocument.Parse(line).RootElement).ToArray();
        Assert.Equal(4 * 50 * 10, events.Length);
        var paths = new Dictionary<int, string>();
        foreach (var found in events.Where(found => found.GetProperty("phase").GetString() == "pre"))
        {
            var path = found.GetProperty("path").GetString()!;
            paths.Add(found.GetProperty("call").GetInt32(), path);
            var parent = found.GetProperty("parent").GetInt32();
            Assert.Equal(path.Contains('.') ? "block" : "", path.Length == 0 ? "" : paths[parent]);
        }
    }

    [Fact]
    public void Events_are_not_kept_in_memory_and_their_sums_are()
    {
        var (model, x) = (new Net(), ones(3, 4));
        using var trace = HookTrace.Record(model, Run, Streamed with { Timing = true });
        model.call(x);
        model.call(x);
        Assert.Contains("run.jsonl", Assert.Throws<InvalidOperationException>(() => trace.Events).Message);
        Assert.Throws<InvalidOperationException>(() => trace.Save(Path.Combine(_folder, "other.jsonl")));
        trace.Dispose();
        var block = trace.Modules.Single(module => module.Path == "block");
        Assert.Equal(2, block.Calls);
        Assert.True(block.Cost!.Time > block.Cost.OwnTime);
    }

    [Fact]
    public void Streaming_needs_no_more_memory_for_more_events()
    {
        // The heap is the whole process's, so other threads can add to any one recording: what events cost shows in each.
        Assert.InRange(Enumerable.Range(0, 5).Min(_ => Growth()), long.MinValue, 200_000);

        long Growth()
        {
            var (model, x) = (new Given<Tensor, Tensor>(input => input), ones(2, 3));
            using var trace = HookTrace.Record(model, Run, new TraceOptions { Stream = true, Values = TraceValues.Digest });
            for (var i = 0; i < 500; i++) model.call(x);
            var before = GC.GetTotalMemory(forceFullCollection: true);
            for (var i = 0; i < 5_000; i++) model.call(x);
            return GC.GetTotalMemory(forceFullCollection: true) - before;
        }
    }

    [Fact]
    public void A_value_that_calls_a_module_while_it_is_read_keeps_its_texts()
    {
        var inner = new Given<string, string>(text => text);
        var model = new Given<string, CallingList, string>((name, texts) => name);
        model.register_module("inner", inner);
        using (HookTrace.Record(model, Run, Streamed)) model.call("first", new(() => inner.call("second")) { "third" });
        var events = File.ReadAllLines(Run)[1..^1].Select(line => JsonDocument.Parse(line).RootElement);
        Assert.Equal(
            ["pre second", "forward second", "pre first third", "forward first"],
            events.Select(line => $"{line.GetProperty("phase")} " + string.Join(
                ' ', line.GetProperty("values").EnumerateArray().Select(value => value.GetProperty("literal")))));
    }

    [Fact]
    public void Elements_and_a_recording_without_a_file_are_refused()
    {
        var full = Streamed with { Values = TraceValues.Full };
        Assert.Contains("Digest", Assert.Throws<ArgumentException>(() => HookTrace.Record(new Net(), Run, full)).Message);
        Assert.Contains("file", Assert.Throws<ArgumentException>(() => HookTrace.Record(new Net(), Streamed)).Message);
        Assert.Empty(Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public void A_full_disk_ends_the_recording_and_not_the_call()
    {
        var file = new FullDisk(free: 150);
        var stream = new EventStream(file, Run, new() { Runtime = "torchsharp" }, [new(new Net(), "", null)], Streamed);
        var (order, values) = (new EventCounter(), new EventValues([], digests: false));
        var written = Enumerable.Range(0, 3).Select(_ => stream.Write(order, TracePhase.Pre, 0, 0, values, []) >= 0).ToArray();
        Assert.Equal([true, false, false], written);
        var error = Assert.Throws<IOException>(stream.Complete);
        Assert.Contains($"after 1 events, because {Run} could not be written: no space", error.Message);
        Assert.False(file.CanWrite);
        stream.Complete();
    }

    // Calls a module when its items are read.
    private sealed class CallingList(Action call) : List<string>, IEnumerable
    {
        IEnumerator IEnumerable.GetEnumerator()
        {
            call();
            return GetEnumerator();
        }
    }

    private sealed class FullDisk(int free) : MemoryStream
    {
        public override void Write(ReadOnlySpan<byte> buffer)
        {
            // The header is always written.
            if (Length > 0 && (free -= buffer.Length) < 0) throw new IOException("no space");
            base.Write(buffer);
        }
    }
}
