using System.Runtime.InteropServices;
using static Bridge.TorchSharp.Tests.BackwardLog;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Failures of backward hooks. An exception that native code lets through would end the process of the tests.</summary>
public sealed class BackwardFailureTests : IDisposable
{
    private readonly Given<Tensor, Tensor> _model = new(x => x * 2);
    private readonly HookRegistry _hooks;
    private readonly Tensor _x = Inputs().X;

    public BackwardFailureTests() => _hooks = HookRegistry.Attach(_model);

    public void Dispose() => _hooks.Dispose();

    private Tensor Loss() => _model.call(_x).sum();

    private void Fail() => _hooks[""].register_full_backward_hook((_, _, _) => throw new ArgumentException("hook failed"));

    [Fact]
    public void The_exception_of_a_hook_is_the_inner_exception_of_every_backward()
    {
        Fail();
        Action[] passes =
        [
            () => Loss().backward(), () => Loss().backward(null, retain_graph: true), () => autograd.backward([Loss()]),
            () => autograd.grad([Loss()], [_x]),
        ];
        foreach (var pass in passes)
        {
            var error = Assert.Throws<ExternalException>(pass);
            Assert.Equal("hook failed", Assert.IsType<ArgumentException>(error.InnerException).Message);
        }

        Assert.Null(_x.grad);
    }

    [Fact]
    public void Run_throws_the_exception_itself_as_PyTorch_does()
    {
        Fail();
        var error = Assert.Throws<ArgumentException>(() => _hooks.Run(() => Loss().backward()));
        Assert.Contains(nameof(Fail), error.StackTrace);
        Assert.Throws<ArgumentException>(() => _hooks.Run(() => autograd.grad([Loss()], [_x])));
        Assert.Throws<ArgumentException>(() => _hooks.Run(() => autograd.grad([_model.call(_model.call(_x)).sum()], [_x])));
        Assert.Throws<DivideByZeroException>(() => _hooks.Run(() => throw new DivideByZeroException()));
    }

    [Fact]
    public void After_a_failure_gradients_and_other_exceptions_are_as_before()
    {
        var handle = _hooks[""].register_full_backward_pre_hook((_, _) => throw new ArgumentException("hook failed"));
        Assert.Throws<ExternalException>(() => Loss().backward());
        Assert.Throws<ExternalException>(() => autograd.grad([Loss()], [_x]));
        handle.remove();
        Assert.Null(Assert.Throws<ExternalException>((Action)(() => throw new ExternalException("other"))).InnerException);
        Assert.Null(Assert.ThrowsAny<Exception>(() => ones(2).mm(ones(3))).InnerException);
        Assert.Equal("[2 2]", Text(autograd.grad([Loss()], [_x])[0]));
        Loss().backward();
        Assert.Equal("[2 2]", Text(_x.grad));
    }

    [Fact]
    public void A_graph_whose_hook_failed_runs_again()
    {
        var fail = true;
        _hooks[""].register_full_backward_hook((_, gradInput, _) => fail ? throw new ArgumentException("hook failed") : null);
        var loss = Loss();
        Assert.Throws<ExternalException>(() => loss.backward(null, retain_graph: true));
        fail = false;
        loss.backward();
        Assert.Equal("[2 2]", Text(_x.grad));
    }

    public static TheoryData<string, Func<Tensor, Tensor?[]>> Wrong { get; } = new()
    {
        { "Backward hook returned an invalid number of grad_input, got 2, but expected 1", given => [given, given] },
        { "Backward hook returned an invalid number of grad_input, got 0, but expected 1", given => [] },
        { "changed the size of value (was [2] got [3])", given => [ones(3)] },
        { "changed the size of value (was [2] got [1])", given => [ones(1)] },
        { "changed the size of value (was [2] got [4, 2])", given => [ones(4, 2)] },
        { "changed the type of value (was Float32 got Float64)", given => [given.to(float64)] },
        { "changed the type of value (was on cpu", given => [given.to(META)] },
        { "disposed tensor", given => [Disposed(given * 2)] },
    };

    private static Tensor Disposed(Tensor tensor)
    {
        tensor.Dispose();
        return tensor;
    }

    [Theory]
    [MemberData(nameof(Wrong))]
    public void A_gradient_that_does_not_fit_is_refused_as_in_PyTorch(string message, Func<Tensor, Tensor?[]> replace)
    {
        _hooks[""].register_full_backward_hook((_, gradInput, _) => replace(gradInput[0]!));
        Assert.Contains(message, Assert.Throws<InvalidOperationException>(() => _hooks.Run(() => Loss().backward())).Message);
        Assert.Contains(message, Assert.Throws<InvalidOperationException>(() => _hooks.Run(() => autograd.grad([Loss()], [_x]))).Message);
    }

    [Theory]
    [MemberData(nameof(Wrong))]
    public void A_gradient_of_the_result_that_does_not_fit_is_refused_as_in_PyTorch(string message, Func<Tensor, Tensor?[]> replace)
    {
        _hooks[""].register_full_backward_pre_hook((_, gradOutput) => replace(gradOutput[0]!));
        var expected = message.Replace("Backward hook", "Backward pre hook").Replace("grad_input", "grad_output");
        Assert.Contains(expected, Assert.Throws<InvalidOperationException>(() => _hooks.Run(() => Loss().backward())).Message);
    }

    [Fact]
    public void A_scalar_gradient_fails_too()
    {
        Fail();
        var x = tensor(1f, requires_grad: true);
        Assert.Throws<ArgumentException>(() => _hooks.Run(() => _model.call(x).backward()));
        Assert.Throws<ArgumentException>(() => _hooks.Run(() => autograd.grad([_model.call(x)], [x])));
    }

    [Fact]
    public void A_failure_in_a_dispose_scope_and_on_another_thread_reaches_its_caller()
    {
        Fail();
        using (NewDisposeScope())
        {
            Assert.Throws<ArgumentException>(() => _hooks.Run(() => Loss().backward()));
            Assert.Throws<ArgumentException>(() => _hooks.Run(() => autograd.grad([Loss()], [_x])));
        }

        Exception? caught = null;
        var thread = new Thread(() => caught = Record.Exception(() => Loss().backward()));
        thread.Start();
        thread.Join();
        Assert.IsType<ArgumentException>(Assert.IsType<ExternalException>(caught).InnerException);
        Assert.Throws<ArgumentException>(() => _hooks.Run(() => Loss().backward()));
    }

    [Fact]
    public void A_backward_pass_within_a_hook_fails_with_the_inner_hooks_exception()
    {
        var inner = new Given<Tensor, Tensor>(x => x * 3);
        using var hooks = HookRegistry.Attach(inner);
        hooks[""].register_full_backward_hook((_, _, _) => throw new ArgumentException("inner"));
        List<string?> caught = [];
        var handle = _hooks[""].register_full_backward_hook((_, _, _) =>
        {
            using var _ = enable_grad();
            caught.Add(Record.Exception(() => inner.call(Inputs().X).sum().backward())?.InnerException?.Message);
            return null;
        });
        Loss().backward();
        autograd.grad([Loss()], [_x]);
        Assert.Equal(["inner", "inner"], caught);
        handle.remove();
        _hooks[""].register_full_backward_hook((_, _, _) =>
        {
            using var _ = enable_grad();
            inner.call(Inputs().X).sum().backward();
            return null;
        });
        Assert.Equal("inner", Assert.Throws<ArgumentException>(() => _hooks.Run(() => Loss().backward())).Message);
        Assert.Equal("inner", Assert.Throws<ArgumentException>(() => _hooks.Run(() => autograd.grad([Loss()], [_x]))).Message);
    }

    [Fact]
    public void After_a_failure_in_grad_the_remaining_hooks_are_skipped()
    {
        var before = 0;
        var (first, last) = (new Given<Tensor, Tensor>(x => x * 3), new Given<Tensor, Tensor>(x => x * 5));
        var model = new Parent((parent, x) => last.call(_model.call(first.call(x))), ("first", first), ("last", last));
        using var hooks = HookRegistry.Attach(model);
        Fail();
        hooks["first"].register_full_backward_hook((_, _, _) => throw new InvalidOperationException("not reached"));
        hooks["last"].register_full_backward_hook((_, gradInput, _) => [gradInput[0]! * ++before]);
        var error = Assert.Throws<ArgumentException>(() => hooks.Run(() => autograd.grad([model.call(_x).sum()], [_x])));
        Assert.Equal("hook failed", error.Message);
        Assert.Equal(1, before);
    }
}
