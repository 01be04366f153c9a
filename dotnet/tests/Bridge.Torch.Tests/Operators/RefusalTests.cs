using System.Runtime.InteropServices;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests the exact exception types that TorchSharp's own tests expect, and arguments that TorchSharp accepts and PyTorch refuses.
/// </summary>
public sealed class RefusalTests : WithTorch
{
    [Fact]
    public void An_error_of_libtorch_is_an_external_exception()
    {
        using var off = no_grad();
        Assert.Throws<ExternalException>(() => randn(2, 3, requires_grad: true).sum().backward());
    }

    [Fact]
    public void A_disposed_tensor_is_an_invalid_operation()
    {
        var tensor = randn(5);
        var other = tensor.alias();
        tensor.Dispose();
        Assert.Throws<InvalidOperationException>(() => tensor.Handle);
        Assert.NotEqual(IntPtr.Zero, other.Handle);
    }

    [Fact]
    public void A_built_in_says_that_it_needs_a_tensor() =>
        Assert.Contains("a tensor is needed", Assert.Throws<ArgumentNullException>(() => nn.ReLU().call(null!)).Message);

    [Fact]
    public void A_norm_names_the_channels_that_it_takes()
    {
        foreach (var statistics in new[] { false, true })
            foreach (var affine in new[] { false, true })
            {
                var norm = nn.InstanceNorm2d(3, affine: affine, track_running_stats: statistics);
                Assert.Throws<ArgumentException>(() => norm.call(ones(16, 2)));
                Assert.Throws<ArgumentException>(() => norm.call(ones([2, 2, 2, 2, 2])));
                // PyTorch only warns where nothing depends on it.
                if (affine || statistics)
                    Assert.Contains("3 channels", Assert.Throws<ArgumentException>(() => norm.call(ones(16, 2, 2))).Message);
                else Assert.Equal([16, 2, 2], norm.call(ones(16, 2, 2)).shape);
            }

        var group = nn.GroupNorm(3, 6);
        Assert.Throws<ArgumentException>(() => group.call(ones(2, 2)));
        Assert.Throws<ArgumentException>(() => group.call(ones(6)));
        Assert.Throws<ArgumentException>(() => group.call(ones(2, 12, 2)));
        Assert.Equal([2, 6], group.call(ones(2, 6)).shape);
        // PyTorch refuses one value per group, but only in a batch of one.
        var single = nn.GroupNorm(6, 6);
        Assert.Contains("[1, 6]", Assert.Throws<ArgumentException>(() => single.call(ones(1, 6))).Message);
        Assert.Throws<ArgumentException>(() => nn.functional.group_norm(ones(1, 6, 1), 6));
        Assert.Throws<ArgumentException>(() => nn.functional.batch_norm(ones(1, 6, 1), null, null, training: true));
        Assert.Throws<ArgumentException>(() => nn.functional.instance_norm(ones(2, 6, 1)));
        Assert.Equal([2, 6], single.call(ones(2, 6)).shape);
        Assert.Equal([2, 12, 2], nn.GroupNorm(3, 6, affine: false).call(ones(2, 12, 2)).shape);
    }

    [Fact]
    public void A_target_of_another_shape_is_refused_where_PyTorch_refuses_it()
    {
        var wrong = Assert.Throws<ArgumentException>(() => nn.BCEWithLogitsLoss().call(ones(2, 1), ones(2, 3)));
        Assert.Equal("binary_cross_entropy_with_logits takes a target of the shape of its input, [2, 1], not [2, 3].", wrong.Message);
        Assert.Throws<ArgumentException>(() => nn.functional.binary_cross_entropy_with_logits(ones(2), ones(2, 2)));
        Assert.Throws<ArgumentException>(() => nn.BCELoss().call(ones(2, 3), ones(3)));
        Assert.Equal(0.0f, nn.BCELoss().call(ones(2, 3), ones(2, 3)).item<float>());
    }

    [Fact]
    public void Numbers_become_tensors_by_a_call_alone()
    {
        Scalar number = 10;
        TensorIndex index = 10;
        Tensor tensor;
        Assert.Throws<InvalidOperationException>(() => { tensor = number; });
        Assert.Throws<InvalidOperationException>(() => { tensor = index; });
    }

    [Fact]
    public void Equal_tensors_may_have_two_types()
    {
        Assert.Equal(from_array(new[] { 1, 4 }), tensor(new[] { 1L, 4L }));
        Assert.NotEqual(from_array(new[] { 1, 4 }), tensor(new[] { 1L, 4L }).reshape(2, 1));
        Assert.NotEqual(from_array(new[] { 1, 4 }), tensor(new[] { 1L, 5L }));
    }

    [Fact]
    public void Parts_of_a_sparse_tensor_need_no_coalescing()
    {
        using var at = tensor(new long[] { 0, 1, 1, 2, 0, 2 }, [2, 3]);
        using var sparse = sparse_coo_tensor(at, tensor(new[] { 3f, 4, 5 }), [2, 3]);
        Assert.Equal([0, 1, 1, 2, 0, 2], sparse.SparseIndices.data<long>().ToArray());
        Assert.Equal([3, 4, 5], sparse.SparseValues.data<float>().ToArray());
    }

    [Fact]
    public void A_module_without_parameters_takes_another_one()
    {
        var outer = new Bare();
        outer.register_module("sub", new Bare());
        Assert.Equal("sub", outer.named_modules().First().name);
        Assert.Throws<InvalidOperationException>(() => outer.register_module("layer", nn.Linear(2, 2)));
        Assert.Throws<InvalidOperationException>(() => outer.register_buffer("buffer", rand(2)));
    }

    private sealed class Bare() : TorchSharp.Modules.ParameterLessModule<Tensor, Tensor>("bare")
    {
        public override Tensor forward(Tensor input) => input;
    }
}
