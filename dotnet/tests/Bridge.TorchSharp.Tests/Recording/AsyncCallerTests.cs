using Bridge.Hooks;
using static System.FormattableString;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>The parents of calls on other threads and after an await.</summary>
public sealed class AsyncCallerTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;
    private readonly nn.Module<Tensor, Tensor> _a = nn.Identity();
    private readonly Block _block = new();
    private readonly Tensor _x = ones(3, 4);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Calls_of_tasks_and_threads_are_under_the_call_that_started_them()
    {
        var model = With(x =>
        {
            Task.Run(() => _a.call(x)).Wait();
            var thread = new Thread(() => _block.call(x));
            thread.Start();
            thread.Join();
            Parallel.For(0, 1, _ => _a.call(x));
            return x;
        });
        Assert.Equal(
            "(root) 0<-1 0; a 1<0 1; block 2<0 1; block.first 3<2 2; block.act 4<2 2; a 5<0 1",
            Recorded(() => model.call(_x), model));
    }

    [Fact]
    public void Calls_after_an_await_are_under_the_call_that_waits()
    {
        var model = With(x =>
        {
            return Compute().GetAwaiter().GetResult();

            async Task<Tensor> Compute()
            {
                var first = _a.call(x);
                await Task.Run(() => { }).ConfigureAwait(false);
                return _block.call(first);
            }
        });
        Assert.Equal(
            "(root) 0<-1 0; a 1<0 1; block 2<0 1; block.first 3<2 2; block.act 4<2 2", Recorded(() => model.call(_x), model));
    }

    [Fact]
    public void The_caller_is_the_call_that_started_the_task_and_not_the_one_that_runs_meanwhile()
    {
        using var inside = new ManualResetEventSlim();
        using var over = new ManualResetEventSlim();
        _block.register_forward_pre_hook((_, x) =>
        {
            inside.Set();
            over.Wait();
            return x;
        });
        var model = With(x =>
        {
            var task = Task.Run(() =>
            {
                inside.Wait();
                _a.call(x);
                over.Set();
            });
            _block.call(x);
            task.Wait();
            return x;
        });
        Assert.Equal(
            "(root) 0<-1 0; block 1<0 1; a 2<0 1; block.first 3<1 2; block.act 4<1 2", Recorded(() => model.call(_x), model));
    }

    [Fact]
    public void A_call_that_has_ended_is_no_caller()
    {
        using var ended = new ManualResetEventSlim();
        Task? late = null;
        var model = With(x =>
        {
            late = Task.Run(() =>
            {
                ended.Wait();
                _a.call(x);
            });
            return x;
        });
        Assert.Equal("(root) 0<-1 0; a 1<-1 0", Recorded(
            () =>
            {
                model.call(_x);
                ended.Set();
                late!.Wait();
            },
            model));
    }

    [Fact]
    public void A_call_that_failed_is_no_caller()
    {
        var fails = true;
        var model = With(x => fails ? throw new InvalidDataException() : Task.Run(() => _a.call(x)).Result);
        Assert.Equal("(root) 0<-1 0; (root) 1<-1 0; a 2<1 1; a 3<-1 0", Recorded(
            () =>
            {
                Assert.Throws<InvalidDataException>(() => model.call(_x));
                fails = false;
                model.call(_x);
                Task.Run(() => _a.call(_x)).Wait();
            },
            model));
    }

    [Fact]
    public void Recordings_of_a_model_and_of_its_part_have_their_own_callers()
    {
        var part = With(x => Task.Run(() => _a.call(x)).Result);
        var model = new Given<Tensor, Tensor>(x => Task.Run(() => part.call(x)).Result);
        model.register_module("part", part);
        string? inner = null;
        var outer = Recorded(() => inner = Recorded(() => model.call(_x), part), model);
        Assert.Equal("(root) 0<-1 0; part 1<0 1; part.a 2<1 2", outer);
        Assert.Equal("(root) 0<-1 0; a 1<0 1", inner);
    }

    [Fact]
    public void A_stream_has_the_same_parents()
    {
        var model = With(x => Task.Run(() => _block.call(_a.call(x))).Result);
        var file = Path.Combine(_folder, "run.jsonl");
        using (HookTrace.Record(model, file, new TraceOptions { Stream = true, Timing = true })) model.call(_x);
        var parents = File.ReadLines(file).Where(line => line.Contains("\"parent\"", StringComparison.Ordinal)).ToArray();
        var other = Path.Combine(_folder, "other.jsonl");
        using (HookTrace.Record(model, other)) model.call(_x);
        Assert.Equal(10, parents.Length);
        Assert.Equal(File.ReadLines(other).Where(line => line.Contains("\"parent\"", StringComparison.Ordinal)), parents);
        Assert.Contains("\"parent\":0", parents[1].Replace(" ", "", StringComparison.Ordinal), StringComparison.Ordinal);
    }

    private static string Recorded(Action run, nn.Module<Tensor, Tensor> model)
    {
        using var trace = HookTrace.Record(model);
        run();
        var begun = trace.Events.Where(found => found.Phase == TracePhase.Pre);
        return string.Join("; ", begun.Select(
            found => Invariant($"{(found.Path.Length == 0 ? "(root)" : found.Path)} {found.Call}<{found.Parent} {found.Depth}")));
    }

    private Given<Tensor, Tensor> With(Func<Tensor, Tensor> forward)
    {
        var model = new Given<Tensor, Tensor>(forward);
        model.register_module("a", _a);
        model.register_module("block", _block);
        return model;
    }
}
