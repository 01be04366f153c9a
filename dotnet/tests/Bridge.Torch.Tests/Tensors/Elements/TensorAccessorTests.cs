using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>TensorAccessor.cs: equality by elements.</summary>
public sealed class TensorAccessorTests : WithTorch
{
    [Fact]
    public void Equal_accessors_have_equal_hash_codes()
    {
        using var scope = NewDisposeScope();
        var (one, other) = (tensor(new[] { 1L, 2 }), tensor(new[] { 1L, 2 }));
        Assert.Equal(one.data<long>(), other.data<long>());
        Assert.Equal(one.data<long>().GetHashCode(), other.data<long>().GetHashCode());
        var set = new HashSet<object> { one.data<long>() };
        Assert.Contains(other.data<long>(), set);
        // A dictionary finds an accessor whose elements have changed.
        var known = set.First();
        one.data<long>()[0] = 3;
        Assert.Contains(known, set);
    }
}
