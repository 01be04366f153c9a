using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests Autograd/Function.cs without Python: a function runs without gradients; with gradients its error names what it needs.
/// </summary>
public sealed class AutogradFunctionTests : WithTorch
{
    [Fact]
    public void A_gradient_needs_Python_and_the_message_names_the_function()
    {
        using var scope = NewDisposeScope();
        var x = ones([3]).requires_grad_();
        var failed = Assert.Throws<NotSupportedException>(() => Doubled.apply(x));
        Assert.Contains("'Doubled' needs Python", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_gradient_forward_runs_alone()
    {
        using var scope = NewDisposeScope();
        var x = ones([3]);
        Assert.Equal([2f, 2f, 2f], Doubled.apply(x).data<float>().ToArray());
        x.requires_grad_();
        Tensor y;
        using (no_grad()) y = Doubled.apply(x);
        Assert.False(y.requires_grad);
        Assert.Equal([2f, 2f, 2f], y.data<float>().ToArray());
    }

    [Fact]
    public void What_is_given_back_is_not_the_callers_object()
    {
        using var scope = NewDisposeScope();
        var x = ones([3]);
        var results = Given.apply(x, null!);
        Assert.Null(results[1]);
        Assert.NotSame(x, results[0]);
        results[0].Dispose();
        Assert.Equal(3, x.numel());
        Assert.Throws<ArgumentNullException>(() => Given.apply(null!));
    }

    [Fact]
    public void An_exception_of_forward_arrives_and_the_grad_mode_is_restored()
    {
        Assert.Throws<InvalidCastException>(() => Doubled.apply("no tensor"));
        Assert.True(is_grad_enabled());
    }

    private sealed class Doubled : autograd.SingleTensorFunction<Doubled>
    {
        public override string Name => nameof(Doubled);

        public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
        {
            Assert.False(is_grad_enabled());
            return (Tensor)vars[0] * 2;
        }

        public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor grad_output) =>
            throw new InvalidOperationException("There is no graph.");
    }

    private sealed class Given : autograd.MultiTensorFunction<Given>
    {
        public override string Name => nameof(Given);

        public override List<Tensor> forward(autograd.AutogradContext ctx, params object[] vars) => [(Tensor)vars[0], (Tensor)vars[1]];

        public override List<Tensor> backward(autograd.AutogradContext ctx, List<Tensor> grad_outputs) =>
            throw new InvalidOperationException("There is no graph.");
    }
}
