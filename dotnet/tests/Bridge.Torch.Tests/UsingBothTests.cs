using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using static TorchSharp.torch.nn.functional;
using static TorchSharp.torch.nn.init;

namespace Bridge.Torch.Tests;

/// <summary>Tests that the namespaces that TorchSharp's users import together have no ambiguous name.</summary>
public sealed class UsingBothTests : WithTorch
{
    [Fact]
    public void Names_of_torch_and_of_functional_are_not_ambiguous()
    {
        using var scope = NewDisposeScope();
        var x = tensor(new[] { -1f, 2f });
        Assert.Equal([0f, 2f], relu(x).ToArray<float>());
        Assert.Equal([0f, 2f], relu(x, inplace: false).ToArray<float>());
        Assert.Equal(functional.gelu(x, false).ToArray<float>(), gelu(x).ToArray<float>());
        Assert.Equal(functional.silu(x).ToArray<float>(), silu(x).ToArray<float>());
        Assert.Equal([0f, 2f], relu6(x).ToArray<float>());
        Assert.Equal([2f, 2f], init.uniform_(x, 2, 2).ToArray<float>());
        Assert.Equal((6L, 12L), CalculateFanInAndFanOut(zeros(4, 2, 3)));
        Assert.Throws<ArgumentException>(() => CalculateFanInAndFanOut(x));
        Assert.Equal(5.0 / 3, calculate_gain(NonlinearityType.Tanh));
        using (no_grad()) Assert.False(is_grad_enabled());
        Parameter[] none = [];
        Assert.Empty(none);
    }
}
