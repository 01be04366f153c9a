using Bridge.Torch.Native;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Operators that take a Scalar, in a process without Python: the ABI cannot carry one.</summary>
public sealed class ScalarOperatorTests : WithTorch
{
    [Theory]
    [InlineData("aten::pow.Tensor_Scalar", "bridge::pow__Tensor_Scalar__i")]
    [InlineData("aten::clamp", "bridge::clamp__default__f")]
    [InlineData("aten::arange.start_step", "bridge::arange__start_step__i")]
    public void What_needs_a_replacement_names_the_operator(string name, string replacement)
    {
        using var x = ones([2]);
        var error = Assert.Throws<NotSupportedException>(() => name switch
        {
            "aten::pow.Tensor_Scalar" => x.pow(2),
            "aten::clamp" => x.clamp(min: 0.5),
            _ => arange(3),
        });
        Assert.Contains($"'{name}'", error.Message);
        Assert.Contains($"'{replacement}'", error.Message);
    }

    [Fact]
    public void A_boolean_beside_a_float_default_becomes_a_float()
    {
        var error = Assert.Throws<NotSupportedException>(() => new Op("aten::rrelu", "self", "lower").For(true));
        Assert.Contains("'bridge::rrelu__default__f'", error.Message);
    }

    [Fact]
    public void A_gradient_needs_Python_and_says_so()
    {
        using var x = ones([2], requires_grad: true);
        (x * x).sum().backward();
        var error = Assert.Throws<NotSupportedException>(() => x.grad);
        Assert.Contains("bridge::grad", error.Message);
    }

    [Fact]
    public void Numbers_that_a_tensor_can_carry_need_no_replacement()
    {
        using var scope = NewDisposeScope();
        var x = tensor([1, 2, 3]);
        Assert.Equal([3, 4, 5], (x + 2).ToArray<int>());
        Assert.Equal([-1, 0, 1], (x - 2).ToArray<int>());
        Assert.Equal([2, 4, 6], (2 * x).ToArray<int>());
        Assert.Equal([false, false, true], (x > 2).ToArray<bool>());
        Assert.Equal([true, false, true], (x != 2).ToArray<bool>());
        Assert.Equal([1, 3], x[x != 2].ToArray<int>());
        Assert.Equal([2, 3], x[1..].ToArray<int>());
    }
}
