using System.Reflection;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// C# that names TorchSharp's parameters, or omits what TorchSharp lets it omit, compiles and gives the same as by position.
/// tests/torchsharp/test_declarations.py compares all members.
/// </summary>
public sealed class DeclarationTests : WithTorch
{
    [Fact]
    public void Arguments_may_be_named()
    {
        using var scope = NewDisposeScope();
        var (x, y) = (tensor([1f, 2, 3, 4]).reshape(2, 2), tensor([5f, 6, 7, 8]).reshape(2, 2));
        Assert.Equal([19, 22, 43, 50], mm(x, target: y).ToArray<float>());
        Assert.Equal([19, 22, 43, 50], matmul(input: x, target: y).ToArray<float>());
        Assert.Equal([3f, 4, 6, 8], outer(tensor([1f, 2]), vec2: tensor([3f, 4])).ToArray<float>());
        Assert.Equal([true, false], equal(tensor: x, target: tensor([1f, 0])).ToArray<bool>()[..2]);
        Assert.Equal([1f, 2, 3, 4, 1, 2, 3, 4], tile(x.flatten(), dims: [2]).ToArray<float>());
        Assert.Equal([1f, 0, 1, 0], x.flatten().fmod(target: tensor(2f)).ToArray<float>());
        Assert.Equal([0.5f, 1, 1.5f, 2], x.flatten().true_divide(other: tensor(2f)).ToArray<float>());
        Assert.Equal([0, 1, 2, 3], x.flatten().sub(target: 1).ToArray<float>());
        Assert.True(x.Equals(target: x.clone()));
        Assert.Equal(CPU, new Device(deviceType: DeviceType.CPU));
    }

    [Fact]
    public void Defaults_may_be_omitted()
    {
        using var scope = NewDisposeScope();
        var x = tensor([1f, 2, 3, 4]).reshape(1, 2, 2);
        Assert.Equal([2, 2], flatten(x, end_dim: 1).shape);
        Assert.Equal([4], flatten(x).shape);
        var divide = typeof(Tensor).GetMethod(nameof(Tensor.div), [typeof(Tensor), typeof(RoundingMode)])!;
        object[] arguments = [tensor(2f), divide.GetParameters()[1].DefaultValue!];
        Assert.Equal([0.5f, 1, 1.5f, 2], ((Tensor)divide.Invoke(x, arguments)!).flatten().ToArray<float>());
    }

    [Fact]
    public void A_stub_that_TorchSharp_does_not_implement_either_does_not_compile()
    {
        var obsolete = typeof(torch).GetMethod(nameof(symeig))!.GetCustomAttribute<ObsoleteAttribute>()!;
        Assert.True(obsolete.IsError);
        Assert.Contains("torch.linalg.eigh", obsolete.Message);
    }
}
