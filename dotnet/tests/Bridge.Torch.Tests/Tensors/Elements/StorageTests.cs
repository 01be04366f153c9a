using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Storage.cs: the memory behind a tensor.</summary>
public sealed class StorageTests : WithTorch
{
    [Fact]
    public void It_is_the_tensors_own_where_the_types_agree()
    {
        using var scope = NewDisposeScope();
        var numbers = tensor(new[] { 1L, 2, 3, 4 });
        var storage = numbers[2..].storage<long>();
        Assert.Equal((4, 8, 32UL), (storage.Count, storage.element_size(), storage.nbytes()));
        storage[0] = 9;
        storage[(1, 3)] = 7;
        Assert.Equal([9, 7, 7, 4], numbers.data<long>().ToArray());
        storage[1..].copy_([5, 6, 8, 100]);
        Assert.Equal([9, 5, 6, 8], numbers.data<long>().ToArray());
        Assert.Equal((2, -1, true), (storage.IndexOf(6), storage.IndexOf(7), storage.Contains(8)));
        storage.fill_(3);
        Assert.Equal([3, 3, 3, 3], storage);
    }

    [Fact]
    public void It_is_a_copy_where_they_differ()
    {
        using var scope = NewDisposeScope();
        var numbers = tensor(new[] { 1L, 2, 3 });
        var storage = numbers.storage<float>();
        storage[1] = 1.5f;
        Assert.Equal([1, 1.5f, 3], storage.tolist());
        Assert.Equal([1, 2, 3], numbers.data<long>().ToArray());
        Assert.Equal([1, 1, 3], storage.@int().ToArray());
    }

    [Fact]
    public void What_is_not_there_is_said()
    {
        using var scope = NewDisposeScope();
        var storage = zeros(3).storage<float>();
        Assert.Contains("no element 3", Assert.Throws<IndexOutOfRangeException>(() => storage[3]).Message);
        Assert.Throws<IndexOutOfRangeException>(() => storage[(1, 4)]);
        Assert.Throws<ArgumentException>(() => storage[(2, 1)]);
        Assert.Throws<InvalidOperationException>(() => storage[(0, 1)] = storage);
        Storage<float> number = 1f;
        Assert.Throws<InvalidOperationException>(() => number.Count);
        storage.Dispose();
        Assert.Throws<InvalidOperationException>(() => storage[0]);
    }
}
