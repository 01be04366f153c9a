using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Hooks;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>What is recorded of a model, as read from the file.</summary>
public sealed class HookTraceTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Calls_are_in_order_with_paths_types_and_enclosing_calls()
    {
        var model = new Net();
        var lines = Recorded(model, () => model.call(ones(3, 4)));
        Assert.Equal(
            [
                "pre  Net 0 -1 [3,4]", "pre block Block 1 0 [3,4]", "pre block.first Linear 2 1 [3,4]",
                "forward block.first Linear 2 1 [3,8]", "pre block.act ReLU 3 1 [3,8]", "forward block.act ReLU 3 1 [3,8]",
                "forward block Block 1 0 [3,8]",
                "pre last Linear 4 0 [3,8]", "forward last Linear 4 0 [3,2]", "forward  Net 0 -1 [3,2]",
            ],
            lines);
    }

    [Fact]
    public void The_header_describes_the_library()
    {
        manual_seed(7);
        var model = new Net();
        Recorded(model, () => { });
        var header = Lines()[0];
        Assert.Equal("torchsharp", header.GetProperty("runtime").GetString());
        Assert.Equal("0.107.0", header.GetProperty("runtime_version").GetString());
        Assert.Equal(__version__, header.GetProperty("torch").GetString());
        Assert.Equal(Environment.Version.ToString(), header.GetProperty("dotnet").GetString());
        Assert.Equal("cpu", header.GetProperty("device").GetString());
        Assert.Equal(7, header.GetProperty("seed").GetInt64());
        Assert.Equal(5, header.GetProperty("modules").GetInt32());
        Assert.Equal("none", header.GetProperty("values").GetString());
        Recorded(nn.Linear(2, 2, device: META), () => { });
        Assert.Equal("meta", Lines()[0].GetProperty("device").GetString());
    }

    // Python's bridge.trace.digest of np.ones((4,), "f4") and so on.
    [Fact]
    public void Digests_of_elements_inputs_and_weights_equal_Pythons()
    {
        const string four = "e9cfaa9188d07fd1123da90fe1e27d9b", zeros2 = "9c1ac10e65499998fb40c77ba3057e6d";
        const string empty = "37b0cee420fc8e78120a83a1bbe71da6";
        var child = new Given<Tensor, int, Tensor>((x, n) => x.alias());
        child.register_parameter("w", new Parameter(ones(2, 3)));
        var model = new Given<int, Tensor, Tensor>((n, x) => child.call(x, n));
        model.register_module("child", child);
        model.register_buffer("scale", ones(Array.Empty<long>()));
        var file = Path.Combine(_folder, "run.jsonl");
        using (HookTrace.Record(model, file, TraceValues.Digest))
        {
            Assert.False(model.call(1, ones(4)).IsInvalid);
            model.call(2, zeros(2));
            model.call(3, zeros(0, 2));
        }

        var header = Lines()[0];
        Assert.Equal("digest", header.GetProperty("values").GetString());
        Assert.Equal($"{{\"0.1\":\"{four}\",\"1.1\":\"{zeros2}\",\"2.1\":\"{empty}\"}}", header.GetProperty("inputs").GetRawText());
        Assert.Equal(
            "{\"child.w\":\"43f88a6ed840f256d02ad5056e429cc4\",\"scale\":\"e9ce504d00e85f2a39aaf7c66bffdee0\"}",
            header.GetProperty("weights").GetRawText());
        var values = Lines()[1..^1].SelectMany(line => line.GetProperty("values").EnumerateArray());
        var digests = values.Where(value => Text(value, "kind") == "tensor").Select(value => Text(value, "digest"));
        Assert.Equal([.. Enumerable.Repeat(four, 4), .. Enumerable.Repeat(zeros2, 4), .. Enumerable.Repeat(empty, 4)], digests);
        // The tensors, and the two integers of each call.
        Assert.Equal(12 + 6, Lines()[^1].GetProperty("known").GetInt32());
    }

    [Fact]
    public void The_digest_of_a_bfloat16_tensor_is_that_of_the_same_float32_tensor()
    {
        var module = new Given<Tensor, Tensor>(x => x);
        using (HookTrace.Record(module, Path.Combine(_folder, "run.jsonl"), TraceValues.Digest))
            module.call(ones(4).to_type(ScalarType.BFloat16));
        const string expected = "\"dtype\":\"bfloat16\",\"device\":\"cpu\",\"digest\":\"e9cfaa9188d07fd1123da90fe1e27d9b\"";
        Assert.Contains(expected, Lines()[1].GetRawText());
    }

    [Fact]
    public void A_tensor_whose_elements_cannot_be_read_has_no_digest()
    {
        var module = new Given<Tensor, Tensor>(x => x);
        var file = Path.Combine(_folder, "run.jsonl");
        using (HookTrace.Record(module, file, TraceValues.Digest))
        {
            Tensor[] unreadable =
            [
                quantize_per_tensor(ones(2), 1, 0, ScalarType.QUInt8), ones(2).to_sparse(), ones(2, device: META),
                ones(2, ScalarType.ComplexFloat32).conj(),
            ];
            foreach (var x in unreadable) module.call(x);
        }

        Assert.Equal(8, Lines()[1..^1].Length);
        Assert.All(
            Lines()[1..^1],
            line => Assert.Equal(JsonValueKind.Null, line.GetProperty("values")[0].GetProperty("digest").ValueKind));
        Assert.Equal("{}", Lines()[0].GetProperty("inputs").GetRawText());
    }

    [Fact]
    public void A_shared_module_is_recorded_once_under_its_first_path()
    {
        var shared = nn.Identity();
        var model = new Parent((m, x) => m.Children[1].call(m.Children[0].call(x)), ("a", shared), ("b", shared));
        Assert.Equal("pre  / pre a / forward a / pre a / forward a / forward ", Order(model, ones(1)));
    }

    [Fact]
    public void Modules_that_contain_each_other_are_recorded_once()
    {
        var inner = new Parent((m, x) => x);
        var model = new Parent((m, x) => m.Children[0].call(x), ("inner", inner));
        inner.register_module("outer", model);
        Assert.Equal("pre  / pre inner / forward inner / forward ", Order(model, ones(1)));
    }

    [Fact]
    public void Children_of_a_Sequential_with_the_same_name_have_distinct_paths()
    {
        var model = nn.Sequential(("x", nn.Identity()), ("x", nn.ReLU()), ("x", nn.Identity()));
        Assert.Equal("pre  / pre x / forward x / pre x_2 / forward x_2 / pre x_3 / forward x_3 / forward ", Order(model, ones(1)));
    }

    [Fact]
    public void Any_number_of_arguments_is_recorded_without_trailing_defaults()
    {
        string Only(nn.Module module, Action call) => string.Join(" / ", Recorded(module, call));
        var x = ones(2);
        var two = new Given<Tensor, int, int>((a, b) => b);
        Assert.Equal("pre  Given 0 -1 [2] int=3 / forward  Given 0 -1 int=3", Only(two, () => two.call(x, 3)));
        var three = new Three();
        Assert.Equal("pre  Three 0 -1 [2] / forward  Three 0 -1 [2]", Only(three, () => three.call(x, 1, null!)));
        Assert.Equal("pre  Three 0 -1 [2] int=2 / forward  Three 0 -1 [2]", Only(three, () => three.call(x, 2, null!)));
        Assert.Equal("pre  Three 0 -1 [2] int=1 str=a / forward  Three 0 -1 [2]", Only(three, () => three.call(x, 1, "a")));
        var four = new Four();
        Assert.Equal(
            "pre  Four 0 -1 [2] none bool=true float=0.5 / forward  Four 0 -1 [2]", Only(four, () => four.call(x, null, true, 0.5)));
        var five = new Five();
        Assert.Equal(
            "pre  Five 0 -1 [2] [2] [1] [2] [3] object / forward  Five 0 -1 [2] [1] [2]",
            Only(five, () => five.call(x, x, [ones(1), x], new() { ["a"] = ones(3) }, new object())));
        Assert.Equal("pre  Five 0 -1 [2] [2] [2] / forward  Five 0 -1 [2]", Only(five, () => five.call(x, x, [], [], x)));
        var parameter = new Given<Parameter, IDisposable?>(a => a.size(0) > 1 ? a : null);
        Assert.Equal("pre  Given 0 -1 [2] / forward  Given 0 -1 [2]", Only(parameter, () => parameter.call(new(ones(2)))));
        Assert.Equal("pre  Given 0 -1 [1] / forward  Given 0 -1 none", Only(parameter, () => parameter.call(new(ones(1)))));
        var lstm = nn.LSTM(4, 5);
        Assert.Equal(
            "pre  LSTM 0 -1 [3,1,4] / forward  LSTM 0 -1 [3,1,5] [1,1,5] [1,1,5]", Only(lstm, () => lstm.call(ones(3, 1, 4))));
        Assert.Equal(
            "pre  LSTM 0 -1 [3,1,4] [1,1,5] [1,1,5] / forward  LSTM 0 -1 [3,1,5] [1,1,5] [1,1,5]",
            Only(lstm, () => lstm.call(ones(3, 1, 4), (ones(1, 1, 5), ones(1, 1, 5)))));
        var attention = nn.MultiheadAttention(4, 2);
        var query = ones(3, 1, 4);
        Assert.Equal(
            "pre  MultiheadAttention 0 -1 [3,1,4] [3,1,4] [3,1,4] none bool=false / forward  MultiheadAttention 0 -1 [3,1,4] none",
            Only(attention, () => attention.call(query, query, query, need_weights: false)));
    }

    [Fact]
    public void An_event_has_the_values_before_the_modules_own_hooks()
    {
        var module = new Given<Tensor, Tensor>(x => x.reshape(4, 1));
        module.register_forward_pre_hook((m, x) => ones(2, 2));
        module.register_forward_hook((m, x, y) => ones(7));
        Assert.Equal(
            ["pre  Given 0 -1 [1]", "forward  Given 0 -1 [4,1]"],
            Recorded(module, () => Assert.Equal([7], module.call(ones(1)).shape)));
    }

    [Fact]
    public void A_call_that_ended_by_an_exception_encloses_no_later_calls()
    {
        var failing = new Parent((m, x) => throw new InvalidDataException(), ("below", nn.Identity()));
        var deep = new Parent((m, x) => m.Children[0].call(x), ("failing", failing));
        var model = new Parent(
            (m, x) =>
            {
                Assert.Throws<InvalidDataException>(() => m.Children[0].call(x));
                return m.Children[1].call(x);
            },
            ("deep", deep),
            ("other", nn.Identity()));
        Assert.Equal(
            [
                "pre  Parent 0 -1 [1]", "pre deep Parent 1 0 [1]", "pre deep.failing Parent 2 1 [1]", "pre other Identity 3 0 [1]",
                "forward other Identity 3 0 [1]", "forward  Parent 0 -1 [1]",
            ],
            Recorded(model, () => model.call(ones(1))));
    }

    [Fact]
    public void A_failed_inner_call_of_the_same_module_does_not_end_the_outer_one()
    {
        var depth = 0;
        var model = new Parent((m, x) =>
        {
            if (depth++ > 0) throw new InvalidDataException();
            Assert.Throws<InvalidDataException>(() => m.call(x));
            return x;
        });
        Assert.Equal(
            ["pre  Parent 0 -1 [1]", "pre  Parent 1 0 [1]", "forward  Parent 0 -1 [1]"], Recorded(model, () => model.call(ones(1))));
    }

    [Fact]
    public void An_exception_that_ended_no_call_has_no_effect()
    {
        var model = new Parent(
            (m, x) =>
            {
                Assert.Throws<InvalidDataException>(Throw);
                return m.Children[0].call(x);
            },
            ("a", nn.Identity()));
        Assert.Equal("pre  / pre a / forward a / forward ", Order(model, ones(1)));
        Assert.Contains("pre a Identity 1 0 [1]", Recorded(model, () => model.call(ones(1))));
    }

    [Fact]
    public void The_next_call_after_a_failed_one_is_a_root_call()
    {
        var failing = new Parent((m, x) => throw new InvalidDataException());
        var model = new Parent((m, x) => m.Children[0].call(x), ("failing", failing));
        var lines = Recorded(model, () =>
        {
            Assert.Throws<InvalidDataException>(() => model.call(ones(1)));
            Assert.Throws<InvalidDataException>(() => model.call(ones(2)));
        });
        Assert.Equal(["pre  Parent 0 -1 [1]", "pre failing Parent 1 0 [1]", "pre  Parent 2 -1 [2]", "pre failing Parent 3 2 [2]"], lines);
    }

    [Fact]
    public void Modules_are_called_bypassed_uncalled_or_unhooked()
    {
        var model = new Bypassing();
        using var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        Assert.Equal(["list"], trace.Unhooked.Select(module => module.Path));
        Assert.Contains("ModuleList", trace.Unhooked[0].ToString());
        // Before the first call nothing is known.
        Assert.Empty(trace.Bypassed);
        Assert.Equal(["", "block", "block.first", "block.act", "unused", "list.0", "list.1"], trace.NotCalled);
        model.forward(ones(1, 4));
        Assert.Equal(["", "block"], trace.Bypassed);
        Assert.Equal(["unused", "list.1"], trace.NotCalled);
        model.call(ones(1, 4));
        Assert.Equal(["block"], trace.Bypassed);
        Assert.Equal(["unused", "list.1"], trace.NotCalled);
    }

    [Fact]
    public void Modules_that_were_registered_later_are_unhooked()
    {
        var model = new Parent((m, x) => x, ("a", nn.Identity()));
        using var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        using var registry = HookRegistry.Attach(model);
        Assert.Empty(trace.Unhooked);
        model.register_module("later", new Net());
        string[] later = ["later", "later.block", "later.block.first", "later.block.act", "later.last"];
        Assert.Equal(later, trace.Unhooked.Select(module => module.Path));
        Assert.Equal(later, registry.Unhooked.Select(module => module.Path));
        Assert.Equal("later.last: it was registered after the hooks were added", trace.Unhooked[^1].ToString());
    }

    [Fact]
    public void A_shared_child_that_was_called_does_not_make_an_unused_parent_bypassed()
    {
        var (shared, own) = (nn.Identity(), nn.Identity());
        var unused = new Parent((m, x) => x, ("shared", shared), ("own", own));
        var used = new Parent((m, x) => m.Children[0].call(x), ("shared", shared));
        var model = new Parent((m, x) => m.Children[1].call(x), ("unused", unused), ("used", used));
        using var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        model.call(ones(1));
        Assert.Empty(trace.Bypassed);
        Assert.Equal(["unused", "unused.own"], trace.NotCalled);
        own.call(ones(1));
        Assert.Equal(["unused"], trace.Bypassed);
    }

    [Fact]
    public void Calls_of_parallel_threads_are_separate()
    {
        var model = new Net();
        Recorded(model, () => Parallel.For(0, 4, new() { MaxDegreeOfParallelism = 4 }, _ =>
        {
            for (var i = 0; i < 50; i++) model.call(ones(1, 4));
        }));
        var events = Lines()[1..^1];
        Assert.Equal(200 * 10, events.Length);
        var entered = events.Where(line => Text(line, "phase") == "pre");
        var paths = entered.ToDictionary(line => line.GetProperty("call").GetInt32(), line => Text(line, "path"));
        var parents = new Dictionary<string, string>
        {
            [""] = "-",
            ["block"] = "",
            ["last"] = "",
            ["block.first"] = "block",
            ["block.act"] = "block",
        };
        Assert.All(events, line =>
        {
            var parent = line.GetProperty("parent").GetInt32();
            Assert.Equal(parents[Text(line, "path")], parent < 0 ? "-" : paths[parent]);
        });
    }

    [Fact]
    public void Events_after_the_end_are_not_recorded()
    {
        var model = new Net();
        var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        var block = (Block)model.children().First();
        // The recording ends during a call, whose remaining events are not written.
        block.register_forward_pre_hook((m, x) =>
        {
            trace.Dispose();
            return x;
        });
        model.call(ones(1, 4));
        trace.Dispose();
        Assert.Equal(["pre  Net 0 -1 [1,4]", "pre block Block 1 0 [1,4]"], Shown());
    }

    [Fact]
    public void A_call_that_began_before_the_recording_is_not_recorded()
    {
        HookTrace? trace = null;
        var file = Path.Combine(_folder, "run.jsonl");
        Parent model = null!;
        model = new Parent(
            (m, x) =>
            {
                trace = HookTrace.Record(model, file);
                return m.Children[0].call(x);
            },
            ("a", nn.Identity()));
        model.call(ones(1));
        trace!.Dispose();
        Assert.Equal(["pre a Identity 0 -1 [1]", "forward a Identity 0 -1 [1]"], Shown());
    }

    [Fact]
    public void Two_recordings_at_the_same_time_have_the_same_events()
    {
        var model = new Net();
        var other = Path.Combine(_folder, "other.jsonl");
        using (HookTrace.Record(model, other))
        {
            var shown = Recorded(model, () =>
            {
                model.call(ones(1, 4));
                model.call(ones(2, 4));
            });
            Assert.Equal(20, shown.Length);
        }

        Assert.Equal(File.ReadLines(Path.Combine(_folder, "run.jsonl")).Skip(1), File.ReadLines(other).Skip(1));
    }

    [Fact]
    public void Calls_of_other_threads_at_the_end_are_recorded_completely_but_for_the_last()
    {
        var model = new Net();
        for (var i = 0; i < 10; i++)
        {
            var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
            using var begun = new CountdownEvent(3);
            var over = false;
            var threads = Enumerable.Range(0, 3).Select(_ => new Thread(() =>
            {
                for (var k = 0; !Volatile.Read(ref over); k++)
                {
                    model.call(ones(1, 4));
                    if (k == 1) begun.Signal();
                }
            })).ToArray();
            foreach (var thread in threads) thread.Start();
            begun.Wait();
            trace.Dispose();
            Volatile.Write(ref over, true);
            foreach (var thread in threads) thread.Join();
            // Only the last calls of each thread may be incomplete.
            var calls = Lines()[1..^1].GroupBy(line => line.GetProperty("call").GetInt32());
            var phases = calls.Select(call => string.Join(' ', call.Select(line => Text(line, "phase")))).ToArray();
            Assert.All(phases, phase => Assert.Contains(phase, new[] { "pre", "pre forward" }));
            Assert.InRange(phases.Count(phase => phase == "pre"), 0, 9);
            Assert.InRange(phases.Length, 30, int.MaxValue);
        }
    }

    [Fact]
    public void A_call_while_arguments_are_read_has_separate_events()
    {
        var inside = nn.Identity();
        var model = new Given<Tensor, Calling, Tensor>((x, list) => x);
        model.register_module("inside", inside);
        Assert.Equal(
            ["pre inside Identity 0 -1 [3]", "forward inside Identity 0 -1 [3]", "pre  Given 1 -1 [2] [5]", "forward  Given 1 -1 [2]"],
            Recorded(model, () => model.call(ones(2), new Calling(() => inside.call(ones(3))) { ones(5) })));
    }

    [Fact]
    public void A_thread_keeps_no_reference_to_the_model()
    {
        using var called = new ManualResetEventSlim();
        using var over = new ManualResetEventSlim();
        var model = Recording(called, over, out var thread);
        for (var i = 0; i < 10 && model.IsAlive; i++) GC.Collect();
        Assert.False(model.IsAlive);
        over.Set();
        thread.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference Recording(ManualResetEventSlim called, ManualResetEventSlim over, out Thread thread)
    {
        var model = new Net();
        using var trace = HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"));
        var given = new Queue<Net>([model]);
        thread = new(() =>
        {
            Call(given);
            called.Set();
            over.Wait();
        });
        thread.Start();
        called.Wait();
        return new(model);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Call(Queue<Net> given) => given.Dequeue().call(ones(1, 4));
    }

    [Fact]
    public void A_value_whose_enumerator_throws_does_not_end_the_models_call()
    {
        var module = new Given<IReadOnlyCollection<Tensor>, Tensor>(x => ones(1));
        Assert.Equal(["pre  Given 0 -1 object", "forward  Given 0 -1 [1]"], Recorded(module, () => module.call(new Unreadable())));
    }

    [Fact]
    public void An_invalid_recording_is_refused()
    {
        Assert.Throws<ArgumentException>(() => HookTrace.Record("no module", "x.jsonl"));
        Assert.Throws<ArgumentNullException>(() => HookTrace.Record(null!, "x.jsonl"));
        Assert.Throws<DirectoryNotFoundException>(() => HookTrace.Record(new Net(), Path.Combine(_folder, "none", "x.jsonl")));
    }

    [Fact]
    public void An_event_allocates_nothing()
    {
        var x = ones(2, 3);
        var empty = new Given<Tensor, Tensor>(input => input);
        using var trace = HookTrace.Record(empty, Path.Combine(_folder, "run.jsonl"));
        // Warm-up: arrays double up to 2^20 words, and the second of these has room for all later events.
        for (var i = 0; i < 90_000; i++) empty.call(x);
        Assert.Equal(0, Allocations.Of(() =>
        {
            for (var i = 0; i < 2_000; i++) empty.call(x);
        }));
    }

    private static void Throw() => throw new InvalidDataException();

    private string Order(nn.Module<Tensor, Tensor> model, Tensor input) =>
        string.Join(" / ", Recorded(model, () => model.call(input)).Select(line => string.Join(' ', line.Split(' ')[..2])));

    private string[] Recorded(object model, Action run)
    {
        using (HookTrace.Record(model, Path.Combine(_folder, "run.jsonl"))) run();
        return Shown();
    }

    private JsonElement[] Lines() =>
        [.. File.ReadLines(Path.Combine(_folder, "run.jsonl")).Select(line => JsonDocument.Parse(line).RootElement)];

    // Returns phase, path, type, call, parent and values of each event.
    private string[] Shown() => [.. Lines()[1..^1].Select(line =>
    {
        var values = line.GetProperty("values").EnumerateArray().Select(Value);
        string[] head = [Text(line, "phase"), Text(line, "path"), Text(line, "type")];
        return string.Join(' ', [.. head, $"{line.GetProperty("call")}", $"{line.GetProperty("parent")}", .. values]);
    })];

    private static string Value(JsonElement value)
    {
        var kind = Text(value, "kind");
        if (kind != "tensor")
            return value.TryGetProperty("literal", out var literal) ? $"{kind}={literal.ToString().ToLowerInvariant()}" : kind;
        Assert.Equal(("float32", "cpu"), (Text(value, "dtype"), Text(value, "device")));
        return value.GetProperty("shape").GetRawText();
    }

    private static string Text(JsonElement line, string name) => line.GetProperty(name).GetString()!;

    // A list whose enumerator calls a module.
    private sealed class Calling(Action call) : List<Tensor>, System.Collections.IList
    {
        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator()
        {
            call();
            return GetEnumerator();
        }
    }

    private sealed class Unreadable : List<Tensor>, System.Collections.IList, IReadOnlyCollection<Tensor>
    {
        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => throw new NotSupportedException();
    }
}
