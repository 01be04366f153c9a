using System.Runtime.CompilerServices;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests Tensor.cs and Tensor.Properties.cs: the lifetime of a handle, and a tensor's properties.</summary>
public sealed class TensorTests : WithTorch
{
    [Fact]
    public void A_finalizer_only_enqueues_and_the_next_drain_frees()
    {
        Settle();
        var before = Tensor.Live;
        Drop(50);
        Collect();
        // Nothing was freed on the finalizer thread: dropping the last reference there may take the GIL.
        Assert.True(Tensor.Live >= before + 50, $"{Tensor.Live - before} of 50 handles are left");
        GuardedHandle.DrainOrphans();
        Assert.Equal(before, Tensor.Live);
    }

    [Theory]
    [InlineData("detached")]
    [InlineData("moved")]
    [InlineData("marked")]
    [InlineData("replaced")]
    public void The_collector_frees_what_leaves_the_scope_of_a_call(string way)
    {
        Settle();
        var before = Tensor.Live;
        DropFromCall(way, 50);
        Settle();
        Assert.Equal(before, Tensor.Live);
    }

    [Fact]
    public void A_tensor_that_is_disposed_while_others_use_it_is_used_or_refused()
    {
        for (var round = 0; round < 300; round++)
        {
            var tensor = ones([2, 3]);
            var elements = tensor.data<float>();
            var uses = new Action[] { () => Assert.Equal([2, 3], tensor.shape), () => tensor.relu().Dispose(), () =>
                Assert.Equal(6, elements.ToArray().Sum()) };
            using var started = new Barrier(uses.Length + 1);
            var disposed = false;
            var refused = new Exception?[uses.Length];
            var users = uses.Select((use, which) => new Thread(() =>
            {
                started.SignalAndWait();
                refused[which] = Record.Exception(() =>
                {
                    while (!Volatile.Read(ref disposed)) use();
                    use();
                });
            })).ToArray();
            foreach (var user in users) user.Start();
            started.SignalAndWait();
            tensor.Dispose();
            Volatile.Write(ref disposed, true);
            foreach (var user in users) user.Join();
            Assert.All(refused, error => Assert.IsType<InvalidOperationException>(error));
        }
    }

    [Fact]
    public void A_disposed_tensor_says_so_and_names_the_way_out()
    {
        var tensor = ones([2]);
        tensor.Dispose();
        var error = Assert.Throws<InvalidOperationException>(() => tensor.relu());
        Assert.Contains("DetachFromDisposeScope", error.Message);
        Assert.Equal("[disposed]", tensor.ToString());
        Assert.Throws<InvalidOperationException>(() => tensor.shape);
    }

    [Fact]
    public void Arithmetic_with_null_names_the_side()
    {
        using var some = ones([2]);
        Tensor none = null!;
        Assert.Equal("left", Assert.Throws<ArgumentNullException>(() => none * some).ParamName);
        Assert.Equal("right", Assert.Throws<ArgumentNullException>(() => some + none).ParamName);
        Assert.Equal("left", Assert.Throws<ArgumentNullException>(() => none - 1).ParamName);
        Assert.Equal("right", Assert.Throws<ArgumentNullException>(() => 2 * none).ParamName);
        Assert.Equal("right", Assert.Throws<ArgumentNullException>(() => 2 - none).ParamName);
        Assert.Equal("right", Assert.Throws<ArgumentNullException>(() => 2 / none).ParamName);
        Assert.Equal("left", Assert.Throws<ArgumentNullException>(() => none % some).ParamName);
        Assert.Equal("right", Assert.Throws<ArgumentNullException>(() => some % none).ParamName);
        Assert.Equal("left", Assert.Throws<ArgumentNullException>(() => none % 2).ParamName);
        Assert.Equal("tensor", Assert.Throws<ArgumentNullException>(() => -none).ParamName);
    }

    [Fact]
    public void An_operator_that_fails_before_the_call_leaks_no_handle()
    {
        using var good = ones([2]);
        var gone = ones([2]);
        gone.Dispose();
        Settle();
        var before = Tensor.Live;
        for (var i = 0; i < 10; i++) Assert.Throws<InvalidOperationException>(() => good.mul(gone));
        Assert.Equal(before, Tensor.Live);
        Assert.Equal([1f, 1f], good.ToArray<float>());
    }

    [Fact]
    public void An_operator_that_libtorch_refuses_says_why_and_the_next_one_runs()
    {
        using var a = ones([2, 3]);
        var error = Assert.Throws<System.Runtime.InteropServices.ExternalException>(() => a.matmul(a));
        Assert.StartsWith("aten::matmul: ", error.Message);
        Assert.Contains("(2x3 and 2x3)", error.Message);
        using var b = a.matmul(a.t());
        Assert.Equal([3f, 3f, 3f, 3f], b.ToArray<float>());
    }

    [Fact]
    public void Shape_type_and_device_are_known()
    {
        using var a = zeros([2, 3, 0], int64);
        Assert.Equal([2L, 3L, 0L], a.shape);
        Assert.Equal(3, a.dim());
        Assert.Equal(3, a.ndim);
        Assert.Equal(0, a.numel());
        Assert.Equal(3, a.size(1));
        Assert.Equal(0, a.size(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => a.size(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => a.size(-4));
        Assert.Equal(int64, a.dtype);
        Assert.Equal(CPU, a.device);
        Assert.Equal("[2x3x0], type = Int64, device = cpu", a.ToString());
        using var meta = ones([4], device: META);
        Assert.Equal(META, meta.device);
        using var turned = ones([2, 3]).t();
        Assert.False(turned.is_contiguous());
    }

    [Fact]
    public void Elements_are_copied_out_in_C_order_and_converted()
    {
        using var base_ = ones([2, 2]);
        base_.select(0, 1).copy_(base_.select(0, 0) * 3.7);
        using var turned = base_.t();
        Assert.Equal([1f, 3.7f, 1f, 3.7f], turned.ToArray<float>());
        Assert.Equal([1L, 3L, 1L, 3L], turned.ToArray<long>());
        Assert.Equal([true, true, true, true], turned.ToArray<bool>());
        using var none = zeros([0]);
        Assert.Empty(none.ToArray<double>());
        Assert.Throws<NotSupportedException>(() => none.ToArray<char>());
    }

    [Theory]
    [InlineData(ScalarType.Float32)]
    [InlineData(ScalarType.Float64)]
    [InlineData(ScalarType.BFloat16)]
    [InlineData(ScalarType.Float16)]
    [InlineData(ScalarType.Int64)]
    [InlineData(ScalarType.Byte)]
    [InlineData(ScalarType.Bool)]
    public void A_single_element_is_a_number_of_any_type(ScalarType type)
    {
        using var one = ones([1], type);
        Assert.Equal(1f, one.ToSingle());
        Assert.Equal(1.0, one.ToDouble());
        Assert.Equal(1L, one.ToInt64());
        Assert.True(one.ToBoolean());
    }

    [Fact]
    public void Gradients_are_wanted_by_whoever_says_so_and_by_what_is_made_of_it()
    {
        using var a = ones([2]);
        Assert.False(a.requires_grad);
        Assert.True(a.is_leaf);
        a.requires_grad = true;
        using var b = a * 2;
        using var c = b.detach();
        Assert.True(a.requires_grad);
        Assert.True(a.is_leaf);
        Assert.True(b.requires_grad);
        Assert.False(b.is_leaf);
        Assert.False(c.requires_grad);
        using (no_grad()) Assert.True(b.requires_grad); // asking does not depend on the grad mode
    }

    [Fact]
    public void An_alias_is_the_same_tensor()
    {
        using var a = ones([2]);
        using var b = a.alias();
        b.zero_();
        Assert.Equal([0f, 0f], a.ToArray<float>());
        a.Dispose();
        Assert.Equal([0f, 0f], b.ToArray<float>());
    }

    [Fact]
    public void Equality_is_by_shape_and_elements_whatever_the_type()
    {
        using var a = ones([2]);
        using var same = ones([2]);
        using var longer = ones([3]);
        using var wide = ones([2], float64);
        Assert.True(a.Equals(same));
        Assert.False(a.Equals(longer));
        Assert.True(a.Equals(wide));
        Assert.False(a.Equals((Tensor?)null));
    }

    [Fact]
    public void An_item_has_its_own_element_type()
    {
        using var number = torch.tensor(3.14f);
        Assert.Equal(3.140625f, number.to(bfloat16).item<BFloat16>().ToSingle());
        Assert.Equal((Half)3.14f, number.to(float16).item<Half>());
        Assert.Equal(3.14f, number.item<float>());
        Assert.Equal(3.14f, number.to(float64).item<double>());
    }

    [Theory]
    [InlineData("cpu", DeviceType.CPU, -1)]
    [InlineData("CPU", DeviceType.CPU, -1)]
    [InlineData("cuda", DeviceType.CUDA, -1)]
    [InlineData("cuda:1", DeviceType.CUDA, 1)]
    [InlineData("meta", DeviceType.META, -1)]
    public void A_device_is_read_from_text(string text, DeviceType type, int index) =>
        Assert.Equal(new Device(type, index), new Device(text));

    [Theory]
    [InlineData("nowhere")]
    [InlineData("1")]
    [InlineData("cuda:1:2")]
    [InlineData("cuda:x")]
    [InlineData("")]
    public void What_is_no_device_is_named(string text) =>
        Assert.Contains($"'{text}' is not a device", Assert.Throws<ArgumentException>(() => new Device(text)).Message);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(int count)
    {
        for (var i = 0; i < count; i++) ones([2]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DropFromCall(string way, int count)
    {
        var scope = new DisposeScope(ofCall: true);
        for (var i = 0; i < count; i++)
        {
            var tensor = ones([2]);
            if (way == "detached") tensor.DetachFromDisposeScope();
            else if (way == "moved") tensor.MoveToOuterDisposeScope();
            else if (way == "marked") scope.MarkAsDisposed(tensor);
            else new TorchSharp.Modules.Parameter(tensor.DetachFromDisposeScope()).DetachFromDisposeScope();
        }

        scope.EndCall();
    }

    private static void Collect()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }
}
