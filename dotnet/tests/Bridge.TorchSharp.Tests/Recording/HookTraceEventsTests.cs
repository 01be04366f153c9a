using Bridge.Hooks;
using TorchSharp.Modules;
using static System.FormattableString;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Reading a recording in the program: its events, while it runs and after its end, with pauses and limits.</summary>
public sealed class HookTraceEventsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;
    private readonly Net _model = new();
    private readonly Tensor _x = ones(3, 4);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Events_have_calls_depths_and_values()
    {
        using var trace = HookTrace.Record(_model);
        _model.call(_x);
        trace.Dispose();
        Assert.Equal(
            [
                "0 pre (root) (Net): float32[3x4] 0<-1 0", "1 pre block (Block): float32[3x4] 1<0 1",
                "2 pre block.first (Linear): float32[3x4] 2<1 2", "3 forward block.first (Linear): float32[3x8] 2<1 2",
                "4 pre block.act (ReLU): float32[3x8] 3<1 2", "5 forward block.act (ReLU): float32[3x8] 3<1 2",
                "6 forward block (Block): float32[3x8] 1<0 1", "7 pre last (Linear): float32[3x8] 4<0 1",
                "8 forward last (Linear): float32[3x2] 4<0 1", "9 forward (root) (Net): float32[3x2] 0<-1 0",
            ],
            trace.Events.Select(found => Invariant($"{found.Number} {found} {found.Call}<{found.Parent} {found.Depth}")));
        Assert.All(trace.Events, found => Assert.Null(found.Cost));
    }

    [Fact]
    public void A_result_that_was_changed_in_place_is_recorded_as_it_is_when_it_becomes_an_argument()
    {
        var model = new Parent(
            (parent, x) =>
            {
                var y = parent.Children[0].call(x);
                y.unsqueeze_(0);
                return parent.Children[1].call(y);
            },
            ("first", new Given<Tensor, Tensor>(x => x.clone())),
            ("second", new Given<Tensor, Tensor>(x => x)));
        using var trace = HookTrace.Record(model);
        model.call(ones(3, 4));
        Assert.Equal(
            ["float32[3x4]", "float32[3x4]", "float32[3x4]", "float32[1x3x4]", "float32[1x3x4]", "float32[1x3x4]"],
            trace.Events.Select(found => found.Values[0].ToString()));
    }

    [Fact]
    public void A_recording_keeps_no_tensor_alive_after_the_call()
    {
        using var trace = HookTrace.Record(_model);
        var result = Call(_model, _x);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        Assert.False(result.IsAlive);

        static WeakReference Call(Net model, Tensor x) => new(model.call(x));
    }

    [Fact]
    public void Events_so_far_can_be_read_while_the_recording_goes_on()
    {
        using var trace = HookTrace.Record(_model);
        var events = trace.Events;
        Assert.Empty(events);
        List<int> counts = [];
        _model.register_forward_hook((_, _, result) =>
        {
            counts.Add(trace.Events.Count());
            return result;
        });
        _model.call(_x);
        _model.call(_x);
        Assert.Equal([10, 20], counts);
        Assert.Equal(20, events.Count());
    }

    [Fact]
    public void Saving_writes_what_was_recorded_so_far()
    {
        var (first, second, last) = (At("first.jsonl"), At("second.jsonl"), At("last.jsonl"));
        using (var trace = HookTrace.Record(_model, last, TraceValues.Digest))
        {
            _model.call(_x);
            trace.Save(first);
            _model.call(_x);
            trace.Save(second);
        }

        Assert.Equal([12, 22], [File.ReadAllLines(first).Length, File.ReadAllLines(second).Length]);
        Assert.Equal(File.ReadAllBytes(last), File.ReadAllBytes(second));
        using var memory = HookTrace.Record(_model, new TraceOptions { Values = TraceValues.Digest });
        _model.call(_x);
        memory.Dispose();
        memory.Save(last);
        memory.Save(second);
        Assert.Equal(File.ReadAllBytes(first), File.ReadAllBytes(last));
        Assert.Equal(File.ReadAllBytes(first), File.ReadAllBytes(second));
    }

    [Fact]
    public void Saving_writes_the_elements_so_far_beside_the_trace()
    {
        using var trace = HookTrace.Record(_model, new TraceOptions { Values = TraceValues.Full });
        _model.call(_x);
        trace.Save(At("first.jsonl"));
        _model.call(_x * 2);
        trace.Save(At("second.jsonl"));
        var sizes = new[] { "first", "second" }.Select(name => new FileInfo(At($"{name}.values.safetensors")).Length).ToArray();
        Assert.InRange(sizes[0], 1, sizes[1] - 1);
    }

    [Fact]
    public void Saving_while_other_threads_record_gives_a_complete_file()
    {
        using var trace = HookTrace.Record(_model, new TraceOptions { Values = TraceValues.Digest });
        var threads = Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            for (var i = 0; i < 300; i++) _model.call(_x).Dispose();
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        do
        {
            trace.Save(At("run.jsonl"));
            var lines = File.ReadAllLines(At("run.jsonl"));
            Assert.Contains($"\"events\":{lines.Length - 2},", lines[^1]);
        }
        while (threads.Any(thread => thread.IsAlive));

        Assert.Equal(6000, trace.Events.Count());
    }

    [Fact]
    public void The_events_of_a_written_recording_are_refused()
    {
        var trace = HookTrace.Record(_model, At("run.jsonl"));
        _model.call(_x);
        var events = trace.Events;
        trace.Dispose();
        Assert.Contains("run.jsonl", Assert.Throws<InvalidOperationException>(() => trace.Events).Message);
        Assert.Throws<InvalidOperationException>(() => events.Count());
        Assert.Throws<InvalidOperationException>(() => trace.Modules);
        Assert.Throws<InvalidOperationException>(() => trace.Print(TextWriter.Null));
    }

    [Fact]
    public void An_enumeration_goes_on_when_the_recording_is_written()
    {
        var trace = HookTrace.Record(_model, At("run.jsonl"));
        _model.call(_x);
        List<string> paths = [];
        foreach (var found in trace.Events)
        {
            paths.Add(found.Path);
            trace.Dispose();
            // Another recording would write to memory that is reused.
            using var other = HookTrace.Record(_model, At("other.jsonl"));
            _model.call(_x);
            _model.call(_x);
        }

        Assert.Equal(["", "block", "block.first", "block.first", "block.act"], paths[..5]);
        Assert.Equal(10, paths.Count);
    }

    [Fact]
    public void A_pause_leaves_calls_out()
    {
        using var trace = HookTrace.Record(_model);
        trace.Pause();
        _model.call(_x);
        trace.Resume();
        _model.call(ones(1, 4));
        trace.Pause();
        trace.Pause();
        _model.call(_x);
        trace.Resume();
        trace.Resume();
        _model.call(ones(2, 4));
        var roots = trace.Events.Where(found => found is { Parent: -1, Phase: TracePhase.Pre });
        Assert.Equal([1L, 2L], roots.Select(found => found.Values[0].Shape[0]));
        Assert.Equal(20, trace.Events.Count());
        trace.Dispose();
        Assert.Throws<InvalidOperationException>(trace.Pause);
        Assert.Throws<InvalidOperationException>(trace.Resume);
    }

    [Fact]
    public void A_call_that_is_open_during_a_pause_has_no_result_and_encloses_nothing_afterwards()
    {
        HookTrace? trace = null;
        var model = new Parent(
            (parent, x) =>
            {
                x = parent.Children[0].call(x);
                trace!.Pause();
                x = parent.Children[0].call(x);
                trace.Resume();
                return parent.Children[0].call(x);
            },
            ("child", nn.ReLU()));
        using (trace = HookTrace.Record(model)) model.call(_x);
        Assert.Equal(
            ["Pre  -1", "Pre child 0", "Forward child 0", "Pre child -1", "Forward child -1"],
            trace.Events.Select(found => Invariant($"{found.Phase} {found.Path} {found.Parent}")));
    }

    [Fact]
    public void A_limit_ends_the_recording_and_is_reported()
    {
        using var trace = HookTrace.Record(_model, At("run.jsonl"), new TraceOptions { MaxEvents = 10 });
        _model.call(_x);
        Assert.True(trace.LimitReached);
        _model.call(_x);
        trace.Pause();
        trace.Resume();
        _model.call(_x);
        Assert.Equal(10, trace.Events.Count());
        var text = new StringWriter();
        trace.Print(text);
        Assert.EndsWith("Incomplete: the limit of 10 events was reached." + Environment.NewLine, text.ToString());
        trace.Dispose();
        Assert.Equal(12, File.ReadAllLines(At("run.jsonl")).Length);
        using var other = HookTrace.Record(_model, new TraceOptions { MaxEvents = 11 });
        _model.call(_x);
        Assert.False(other.LimitReached);
    }

    [Fact]
    public void A_limit_holds_for_all_threads_together()
    {
        using var trace = HookTrace.Record(_model, new TraceOptions { MaxEvents = 1005 });
        var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (var i = 0; i < 50; i++) _model.call(_x).Dispose();
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        Assert.Equal(Enumerable.Range(0, 1005), trace.Events.Select(found => (int)found.Number));
        Assert.True(trace.LimitReached);
    }

    [Fact]
    public void Only_the_selected_modules_are_recorded()
    {
        using var trace = HookTrace.Record(_model, new TraceOptions { Paths = ["block*"], Types = [typeof(Block), typeof(Linear)] });
        _model.call(_x);
        Assert.Equal(
            ["Pre block -1", "Pre block.first 0", "Forward block.first 0", "Forward block -1"],
            trace.Events.Select(found => Invariant($"{found.Phase} {found.Path} {found.Parent}")));
        Assert.Empty(trace.NotCalled);
        Assert.Equal(["block", "block.first"], trace.Modules.Select(module => module.Path));
    }

    [Fact]
    public void Invalid_options_are_refused()
    {
        Assert.Contains("MaxEvents is 0", Refused(new() { MaxEvents = 0 }));
        Assert.Contains("7 is not", Refused(new() { Values = (TraceValues)7 }));
        Assert.Contains("'blok'", Refused(new() { Paths = ["block", "blok"] }));

        string Refused(TraceOptions options) => Assert.Throws<ArgumentException>(() => HookTrace.Record(_model, options)).Message;
    }

    [Fact]
    public void Time_and_memory_of_calls_are_measured_and_summed()
    {
        var model = new Parent(
            (parent, x) => parent.Children[0].call(parent.Children[0].call(x)),
            ("child", new Given<Tensor, Tensor>(x =>
            {
                GC.KeepAlive(new byte[100_000]);
                return x;
            })));
        using var trace = HookTrace.Record(model, new TraceOptions { Timing = true });
        model.call(_x);
        model.call(_x);
        var (root, child) = (trace.Modules[0], trace.Modules[1]);
        Assert.Equal([2, 4], [root.Calls, child.Calls]);
        Assert.Equal(4 * 3 * 4 * 4, child.OutputBytes);
        Assert.True(child.Cost!.Time > TimeSpan.Zero);
        Assert.Equal(child.Cost.Time, child.Cost.OwnTime);
        Assert.True(root.Cost!.OwnTime > TimeSpan.Zero);
        Assert.Equal(root.Cost.Time - child.Cost.Time, root.Cost.OwnTime);
        Assert.InRange(child.Cost.ManagedBytes, 400_000, 450_000);
        Assert.InRange(root.Cost.ManagedBytes, child.Cost.ManagedBytes, 500_000);
        var events = trace.Events.ToArray();
        Assert.All(events, found => Assert.Equal(found.Phase == TracePhase.Forward, found.Cost is not null));
        Assert.Equal(child.Cost.Time, new TimeSpan(events.Where(found => found.Path == "child").Sum(found => found.Cost?.Time.Ticks ?? 0)));
    }

    [Fact]
    public void Measured_events_allocate_nothing_that_counts_for_the_model()
    {
        var model = new Parent(
            (parent, x) =>
            {
                for (var i = 0; i < 5_000; i++) x = parent.Children[0].call(x);
                return x;
            },
            ("child", new Given<Tensor, Tensor>(x => x)));
        using var trace = HookTrace.Record(model, new TraceOptions { Timing = true });
        model.call(_x);
        Assert.InRange(trace.Modules[0].Cost!.ManagedBytes, 0, 2_000);
    }

    private string At(string name) => Path.Combine(_folder, name);
}
