using System.Runtime.InteropServices;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests TensorDataset.cs, against what a program on TorchSharp 0.107.0 printed.</summary>
public sealed class TensorDatasetTests : WithTorch
{
    [Fact]
    public void An_item_is_the_row_of_each_tensor()
    {
        using var scope = NewDisposeScope();
        using var data = utils.data.TensorDataset(tensor(new[] { 5L, 6L, 7L }), ones(3, 2));
        Assert.Equal(3, data.Count);
        var item = Assert.IsType<List<Tensor>>(data[1]);
        Assert.Equal(6, item[0].item<long>());
        Assert.Equal([2], item[1].shape);
        Assert.Equal(7, data[-1][0].item<long>());
        Assert.Equal(7, data.GetTensor(2)[0].item<long>());
        Assert.Contains("index 3 out of range", Assert.Throws<ExternalException>(() => data[3]).Message);
    }

    [Fact]
    public void It_has_the_memory_of_the_tensors_but_tensors_of_its_own()
    {
        using var given = zeros(3, requires_grad: true);
        torch.utils.data.Dataset<IList<Tensor>> data;
        using (var scope = NewDisposeScope())
        {
            var values = zeros(3);
            Tensor[] all = [values, given];
            data = utils.data.TensorDataset(all);
            Assert.Equal(1, scope.DisposablesCount);
            all[0] = given;
            using var two = tensor(2f);
            values[0].copy_(two);
            values.Dispose();
        }

        var item = data.GetTensor(0);
        Assert.Equal((2f, false, true), (item[0].item<float>(), item[0].requires_grad, item[1].requires_grad));
        data.Dispose();
        data.Dispose();
        Assert.False(given.IsInvalid);
        Assert.Throws<InvalidOperationException>(() => data.Count);
        Assert.Throws<InvalidOperationException>(() => data.GetTensor(0));
    }

    [Fact]
    public void What_has_no_or_other_rows_is_refused()
    {
        using var scope = NewDisposeScope();
        Assert.Equal("tensors", Assert.Throws<ArgumentNullException>(() => utils.data.TensorDataset()).ParamName);
        Assert.Equal("tensors", Assert.Throws<ArgumentNullException>(() => utils.data.TensorDataset(null!)).ParamName);
        Assert.Equal("tensors", Assert.Throws<ArgumentException>(() => utils.data.TensorDataset(ones(3), ones(4))).ParamName);
        Assert.Throws<IndexOutOfRangeException>(() => utils.data.TensorDataset(tensor(3)));
        Assert.Throws<IndexOutOfRangeException>(() => utils.data.TensorDataset(ones(3), tensor(3)));
        Assert.Throws<NullReferenceException>(() => utils.data.TensorDataset(ones(3), null!));
        Assert.Equal(3, utils.data.TensorDataset(ones(3, 2), ones(3, 4)).Count);
        Assert.Equal(0, utils.data.TensorDataset(ones(0, 2)).Count);
    }

    [Fact]
    public void A_loader_batches_it_and_disposes_it()
    {
        using var values = tensor(new[] { 0L, 1L, 2L, 3L, 4L });
        using var more = ones(5, 2);
        var data = utils.data.TensorDataset(values, more);
        using (var loader = utils.data.DataLoader(data, 2, shuffle: true, seed: 42))
        {
            Assert.Equal(["4,0 2x2", "2,3 2x2", "1 1x2"], loader.Select(batch =>
                $"{string.Join(',', batch[0].ToArray<long>())} {string.Join('x', batch[1].shape)}"));
        }

        Assert.Throws<InvalidOperationException>(() => data.Count);
        Assert.False(values.IsInvalid);
    }
}
