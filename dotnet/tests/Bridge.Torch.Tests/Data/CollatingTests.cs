using System.Runtime.InteropServices;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests Collating.cs and TensorLoaders.cs, against what a program on TorchSharp 0.107.0 printed.</summary>
public sealed class CollatingTests : WithTorch
{
    [Fact]
    public void Items_are_joined_along_a_new_first_dimension()
    {
        using var loader = utils.data.DataLoader(new NamedItems(3, index => new()
        {
            ["x"] = ones(2, 3, dtype: ScalarType.Float64),
            ["y"] = tensor(index),
        }), 2);
        using var batches = loader.GetEnumerator();
        batches.MoveNext();
        Assert.Equal(["x", "y"], batches.Current.Keys);
        Assert.Equal([2, 2, 3], batches.Current["x"].shape);
        Assert.Equal(ScalarType.Float64, batches.Current["x"].dtype);
        Assert.Equal([0L, 1L], batches.Current["y"].ToArray<long>());
    }

    [Fact]
    public void Lists_are_joined_by_position()
    {
        using var loader = utils.data.DataLoader(new ListItems(3, index => [tensor(index), ones(2)]), 2);
        using var batches = loader.GetEnumerator();
        batches.MoveNext();
        var batch = Assert.IsType<List<Tensor>>(batches.Current);
        Assert.Equal([0L, 1L], batch[0].ToArray<long>());
        Assert.Equal([2, 2], batch[1].shape);
        Assert.IsType<IterableDataLoader>(loader);
    }

    [Fact]
    public void The_first_item_says_what_a_batch_has()
    {
        Assert.Equal(["x"], Named(index => index == 1 ? new() { ["x"] = ones(1), ["y"] = ones(1) } : new() { ["x"] = ones(1) }));
        Assert.Throws<KeyNotFoundException>(() =>
            Named(index => index == 0 ? new() { ["x"] = ones(1), ["y"] = ones(1) } : new() { ["x"] = ones(1) }));
        Assert.Empty(Named(_ => []));
        Assert.Equal(1, Listed(index => index == 1 ? [ones(1), ones(1)] : [ones(1)]));
        Assert.Throws<ArgumentOutOfRangeException>(() => Listed(index => index == 0 ? [ones(1), ones(1)] : new[] { ones(1) }));
        Assert.Equal(0, Listed(_ => []));
    }

    [Fact]
    public void What_is_null_or_of_another_shape_fails()
    {
        Assert.Throws<NullReferenceException>(() => Named(_ => new() { ["x"] = null! }));
        Assert.Throws<NullReferenceException>(() => Listed(_ => null!));
        var error = Assert.Throws<ExternalException>(() => Named(index => new() { ["x"] = ones(index + 1) }));
        Assert.Contains("Sizes of tensors must match except in dimension 0. Expected size 1 but got size 2", error.Message);
    }

    [Fact]
    public void Types_are_promoted_and_gradients_kept()
    {
        using var mixed = utils.data.DataLoader(new NamedItems(2, index =>
            new() { ["x"] = ones(1, dtype: index == 0 ? ScalarType.Int64 : ScalarType.Float32) }), 2, disposeBatch: false);
        Assert.Equal(ScalarType.Float32, mixed.First()["x"].dtype);
        using var learned = utils.data.DataLoader(new NamedItems(2, _ => new() { ["x"] = ones(1, requires_grad: true) }), 2,
            disposeBatch: false);
        Assert.True(learned.First()["x"].requires_grad);
    }

    [Fact]
    public void Batches_are_on_the_device_which_is_the_cpu_if_none_is_given()
    {
        using var loader = utils.data.DataLoader(new NamedItems(2), 2, device: META, disposeBatch: false);
        Assert.Equal(DeviceType.META, loader.First()["x"].device_type);
        using var back = utils.data.DataLoader(new NamedItems(2, _ => new() { ["x"] = ones(1, device: META) }), 2);
        Assert.Contains("Cannot copy out of meta tensor", Assert.Throws<ExternalException>(() => back.First()).Message);
    }

    [Fact]
    public void A_batch_of_one_item_has_the_item_s_memory()
    {
        using var item = zeros(1);
        using var loader = utils.data.DataLoader(new NamedItems(1, _ => new() { ["x"] = item }), 1, disposeBatch: false);
        using var batch = loader.First()["x"];
        using var one = ones(1, 1);
        batch.copy_(one);
        Assert.Equal(1f, item.item<float>());
        using var pair = utils.data.DataLoader(new NamedItems(2, _ => new() { ["x"] = item }), 2, disposeBatch: false);
        using var both = pair.First()["x"];
        using var zero = zeros(2, 1);
        both.copy_(zero);
        Assert.Equal(1f, item.item<float>());
    }

    [Fact]
    public void A_collating_function_gets_an_array_and_the_device()
    {
        using var loader = new DataLoader<long, string>(new Items<long>(3, index => index), 2,
            (items, device) => $"{items.GetType().Name} {device.type} {string.Join(',', items)}", device: META);
        Assert.Equal(["Int64[] META 0,1", "Int64[] META 2"], loader);
    }

    private static string[] Named(Func<long, Dictionary<string, Tensor>> item)
    {
        using var loader = utils.data.DataLoader(new NamedItems(2, item), 2);
        return [.. loader.First().Keys];
    }

    private static int Listed(Func<long, IList<Tensor>> item)
    {
        using var loader = utils.data.DataLoader(new ListItems(2, item), 2);
        return loader.First().Count;
    }
}
