using TorchSharp;
using TorchSharp.Modules;
using static Bridge.TorchSharp.Tests.BackwardLog;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Backward hooks in training: scopes, garbage collection, failing and recursive calls.</summary>
public sealed class BackwardTrainingTests
{
    private readonly BackwardLog _log = new();

    private static Sequential Layers() =>
        nn.Sequential(("first", nn.Linear(4, 8)), ("act", nn.Tanh()), ("last", nn.Linear(8, 1)));

    private static float[] Train(bool observed)
    {
        manual_seed(1);
        var model = Layers();
        using var hooks = HookRegistry.Attach(model);
        if (observed)
        {
            foreach (var path in new[] { "", "first", "act", "last" })
            {
                hooks[path].register_full_backward_hook((_, _, _) => null);
                hooks[path].register_full_backward_pre_hook((_, _) => null);
            }
        }

        var optimizer = optim.Adam(model.parameters(), lr: 0.05);
        var (x, y) = (randn(16, 4), randn(16, 1));
        for (var step = 0; step < 20; step++)
        {
            using var scope = NewDisposeScope();
            optimizer.zero_grad();
            nn.functional.mse_loss(model.call(x), y).backward();
            optimizer.step();
        }

        return [.. model.parameters().SelectMany(parameter => parameter.detach().data<float>())];
    }

    [Fact]
    public void Twenty_steps_with_observing_hooks_give_the_same_weights() => Assert.Equal(Train(observed: false), Train(observed: true));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_number_of_tensors_is_stable_over_two_thousand_steps(bool scoped)
    {
        var model = Layers();
        using var hooks = HookRegistry.Attach(model);
        var calls = 0;
        foreach (var path in new[] { "first", "act", "last" })
        {
            hooks[path].register_full_backward_hook((_, gradInput, _) =>
            {
                calls++;
                return [.. gradInput.Select(gradient => gradient is null ? null : gradient * 1)];
            });
        }

        var x = randn(16, 4, requires_grad: true);
        Step(0);
        var before = Alive();
        for (var step = 1; step <= 2000; step++) Step(step);
        Assert.InRange(Alive(), 0, before);
        Assert.True(calls > 3000);

        void Step(int step)
        {
            using var scope = scoped ? NewDisposeScope() : null;
            var loss = model.call(x).sum();
            if (step % 3 != 1) loss.backward(); // Some graphs never run.
        }

        static long Alive()
        {
            // Each collection frees the tensors of one tap, whose node frees the tap before it.
            for (var i = 0; i < 20; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }

            return Tensor.TotalCount;
        }
    }

    [Fact]
    public void Hooks_run_after_garbage_collections_between_and_within_the_passes()
    {
        var model = Layers();
        using var hooks = HookRegistry.Attach(model);
        hooks["act"].register_full_backward_hook((_, gradInput, _) =>
        {
            Collect();
            return [gradInput[0]! * 2];
        });
        var expected = Run(1);
        for (var i = 0; i < 20; i++) Assert.Equal(expected, Run(i));

        string Run(int seed)
        {
            var x = ones(1, 4, requires_grad: true);
            var loss = model.call(x).sum();
            Collect();
            loss.backward();
            return Text(x.grad);
        }

        static void Collect()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    [Fact]
    public void Hooks_run_after_the_dispose_scope_of_the_call_has_ended()
    {
        var model = new Given<Tensor, Tensor, (Tensor, Tensor)>((x, y) => (x * 2, y * 3));
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var (x, y) = Inputs();
        Tensor loss;
        using (NewDisposeScope()) loss = model.call(x, y).Item1.sum().MoveToOuterDisposeScope();
        loss.backward();
        Assert.Equal(["h in=([2 2], [0 0]) out=([1 1], null)"], _log.Lines);
    }

    [Fact]
    public void Gradients_may_be_kept_after_the_pass()
    {
        var model = new Given<Tensor, Tensor>(x => x * 2);
        using var hooks = HookRegistry.Attach(model);
        List<Tensor?> kept = [];
        hooks.Of(model).OnBackward((module, gradInput, gradOutput) => kept.AddRange([.. gradInput, .. gradOutput]));
        model.call(Inputs().X).sum().backward();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.Equal("([2 2], [1 1])", Text(kept));
    }

    [Fact]
    public void A_call_that_failed_leaves_nothing_behind()
    {
        var fail = true;
        var model = new Given<Tensor, Tensor>(x => fail ? throw new InvalidOperationException() : x * 2);
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var (x, _) = Inputs();
        for (var i = 0; i < 3; i++) Assert.Throws<InvalidOperationException>(() => model.call(x));
        fail = false;
        model.call(x).sum().backward();
        Assert.Equal(["h in=([2 2]) out=([1 1])"], _log.Lines);
    }

    [Fact]
    public void A_recursive_call_has_gradients_of_its_own_also_when_an_inner_call_fails()
    {
        Given<Tensor, Tensor> model = null!;
        var depth = 0;
        model = new(x =>
        {
            depth++;
            if (depth == 2) throw new InvalidOperationException();
            if (depth == 4) return x * 3;
            try
            {
                return model.call(x * 2);
            }
            catch (InvalidOperationException)
            {
                return model.call(x * 5);
            }
        });
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var (x, _) = Inputs();
        model.call(x).sum().backward();
        // The calls: x (1), 2x (fails), 5x (3), 10x (4).
        Assert.Equal(["h in=([3 3]) out=([1 1])", "h in=([6 6]) out=([1 1])", "h in=([30 30]) out=([1 1])"], _log.Lines);
        Assert.Equal("[30 30]", Text(x.grad));
    }

    [Fact]
    public void A_shared_module_has_its_hooks_under_each_path()
    {
        var shared = new Given<Tensor, Tensor>(x => x * 2);
        var model = new Parent((parent, x) => parent.Children[1].call(parent.Children[0].call(x)), ("one", shared), ("two", shared));
        using var hooks = HookRegistry.Attach(model);
        hooks["two"].register_full_backward_hook(_log.Full("shared"));
        model.call(Inputs().X).sum().backward();
        Assert.Equal(["shared in=([2 2]) out=([1 1])", "shared in=([4 4]) out=([2 2])"], _log.Lines);
    }

    [Fact]
    public void The_graph_keeps_the_module_and_its_hooks_alive()
    {
        var (x, _) = Inputs();
        var loss = Call();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        loss.backward();
        Assert.Equal(["h in=([2 2]) out=([1 1])"], _log.Lines);

        Tensor Call()
        {
            var model = new Given<Tensor, Tensor>(value => value * 2);
            var hooks = HookRegistry.Attach(model);
            hooks[""].register_full_backward_hook(_log.Full("h"));
            return model.call(x).sum();
        }
    }

    [Fact]
    public void Two_graphs_on_two_threads_have_their_own_gradients()
    {
        var model = new Given<Tensor, Tensor>(x => x * 2);
        using var hooks = HookRegistry.Attach(model);
        var calls = 0;
        hooks[""].register_full_backward_hook((_, gradInput, _) =>
        {
            Interlocked.Increment(ref calls);
            return [gradInput[0]! * 10];
        });
        var wrong = 0;
        var threads = Enumerable.Range(1, 4).Select(factor => new Thread(() =>
        {
            for (var i = 0; i < 100; i++)
            {
                var (x, _) = Inputs();
                (model.call(x) * factor).sum().backward();
                if (Text(x.grad) != $"[{20 * factor} {20 * factor}]") Interlocked.Increment(ref wrong);
            }
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        Assert.Equal((400, 0), (calls, wrong));
    }
}
