using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Bridge.Torch.Native;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests SharedArray.cs: <c>frombuffer</c> over the memory of an array, which is pinned as long as a tensor uses it.</summary>
public sealed class SharedArrayTests : WithTorch
{
    [Fact]
    public void Both_see_what_the_other_writes()
    {
        double[] array = [0, 1, 2, 3, 4, 5, 6, 7];
        using var tensor = frombuffer(array, ScalarType.Float64, 5, 2);
        tensor[4] = 15.0;
        array[2] = -1;
        Assert.Equal(15, array[6]);
        Assert.Equal(-1, tensor[0].item<double>());
        using var flat = frombuffer(new int[2, 4] { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, ScalarType.Int32, 3, 3);
        Assert.Equal([4, 5, 6], flat.data<int>().ToArray());
        using var other = frombuffer(array, ScalarType.Float32);
        other[0] = 9;
        Assert.Equal(0, array[0]);
        Assert.True(frombuffer(array, ScalarType.Float64, requires_grad: true).requires_grad);
    }

    [Fact]
    public void The_array_stays_in_place_until_the_last_tensor_is_gone()
    {
        Settle();
        var before = SharedArray.Count;
        var (array, tensor) = Make();
        var part = tensor[TensorIndex.Slice(1, 3)];
        tensor.Dispose();
        for (var i = 0; i < 3; i++) GC.Collect(2, GCCollectionMode.Forced, true, true);
        SharedArray.Release();
        Assert.True(array.IsAlive);
        Assert.Equal(before + 1, SharedArray.Count);
        Assert.Equal([1f, 2f], part.data<float>().ToArray());
        part.Dispose();
        GuardedHandle.DrainOrphans();
        Assert.Equal(before, SharedArray.Count);
        GC.Collect(2, GCCollectionMode.Forced, true, true);
        Assert.False(array.IsAlive);
    }

    [Fact]
    public void Any_thread_may_drop_the_last_tensor()
    {
        Settle();
        var before = SharedArray.Count;
        Parallel.For(0, 200, i =>
        {
            var array = new float[64];
            var tensor = frombuffer(array, ScalarType.Float32);
            tensor.copy_(torch.tensor((float)i));
            Assert.All(array, value => Assert.Equal(i, value));
            if (i % 2 == 0) tensor.Dispose();
            else new Thread(tensor.Dispose).Start();
        });
        SpinWait.SpinUntil(() =>
        {
            SharedArray.Release();
            return SharedArray.Count == before;
        }, TimeSpan.FromSeconds(60));
        Assert.Equal(before, SharedArray.Count);
    }

    [Fact]
    public void Many_threads_share_and_let_go_at_once()
    {
        // Each frees arrays that the others have dropped, and the next deleter's context is allocated where one was just freed.
        Parallel.For(0, 8, _ =>
        {
            for (var i = 0; i < 20_000; i++)
            {
                using var tensor = frombuffer(new float[] { i }, ScalarType.Float32);
                Assert.Equal(i, tensor.item<float>());
            }
        });
    }

    [Fact]
    public void What_cannot_be_shared_is_refused()
    {
        Assert.Throws<ArgumentException>(() => frombuffer(new float[2], ScalarType.Float32, 1, 2));
        Assert.Throws<IndexOutOfRangeException>(() => frombuffer(new float[2], ScalarType.Float32, 2, 1));
        Assert.Throws<NotSupportedException>(() => frombuffer(new ulong[2], ScalarType.Int64));
        Assert.Throws<NotSupportedException>(() => frombuffer(new (float, float)[2], ScalarType.ComplexFloat32));
        var refused = 0;
        for (var i = 0; i < 100; i++)
        {
            // Pinned, an array stays where .NET's allocator has put it: at a multiple of 8.
            var array = new System.Numerics.Complex[3];
            GC.KeepAlive(new byte[8 * (i % 3)]);
            var pin = GCHandle.Alloc(array, GCHandleType.Pinned);
            if (pin.AddrOfPinnedObject() % 16 != 0)
            {
                Assert.Throws<NotSupportedException>(() => frombuffer(array, ScalarType.ComplexFloat64));
                refused++;
            }
            else
            {
                using var tensor = frombuffer(array, ScalarType.ComplexFloat64);
                tensor.copy_(torch.tensor(new System.Numerics.Complex(1, 2)));
                Assert.Equal(new System.Numerics.Complex(1, 2), array[2]);
            }

            pin.Free();
        }

        Assert.InRange(refused, 1, 99);
    }

    [Fact]
    public unsafe void What_libtorch_refuses_is_let_go()
    {
        Settle();
        var before = SharedArray.Count;
        var released = 0;
        if (Abi.blob_with_deleter is not null)
            Assert.Throws<ExternalException>(() => SharedArray.Share(null, ScalarType.Float32, [-1], () => released++));
        Assert.Equal(Abi.blob_with_deleter is null ? 0 : 1, released);
        var array = Refused();
        Assert.Equal(before, SharedArray.Count);
        GC.Collect(2, GCCollectionMode.Forced, true, true);
        Assert.False(array.IsAlive);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Array, Tensor Tensor) Make()
    {
        float[] array = [0, 1, 2, 3];
        return (new(array), frombuffer(array, ScalarType.Float32));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Refused()
    {
        var array = new float[4];
        Assert.Throws<ExternalException>(() => SharedArray.Share(array, 0, -1));
        return new(array);
    }
}
