using System.Runtime.CompilerServices;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests Tensor.HookExposure.cs and RetiredHandles.cs: tensors that are disposed after a hook got them.</summary>
public sealed class RetiredHandlesTests : WithTorch
{
    [Theory]
    [InlineData(1)]
    [InlineData(RetiredHandles.Small)]
    public void Two_threads_that_dispose_a_tensor_free_it_once(int elements)
    {
        Settle();
        var before = Tensor.TotalCount;
        var tensors = Enumerable.Range(0, 4_000).Select(_ => Exposed(elements)).ToArray();
        var arrived = 0;
        var threads = Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            for (var i = 0; i < tensors.Length; i++)
            {
                var wait = default(SpinWait);
                Interlocked.Increment(ref arrived);
                while (Volatile.Read(ref arrived) < 2 * (i + 1)) wait.SpinOnce(sleep1Threshold: -1);
                tensors[i].Dispose();
            }

            RetiredHandles.Close();
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        Array.Clear(tensors);
        Settle();
        Assert.Equal(before, Tensor.TotalCount);
    }

    [Fact]
    public void A_tensor_that_a_finalizer_reads_is_there_or_disposed()
    {
        Drop();
        for (var i = 0; i < 2; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        // Its finalizer and the one that frees the tensor run in any order.
        Assert.True(Reader.Read is 1 or null);
        Assert.NotNull(Reader.Kept);
        Assert.True(Reader.Kept.IsInvalid);
        Assert.Throws<InvalidOperationException>(() => Reader.Kept.numel());
    }

    [Fact]
    public void A_hook_may_go_on_with_what_was_disposed()
    {
        Settle();
        var before = Tensor.TotalCount;
        var kept = Exposed(1);
        kept.Dispose();
        kept.Dispose();
        RetiredHandles.Close();
        Settle();
        Assert.False(kept.IsInvalid);
        Assert.Equal(1, kept.item<float>());
        using (var copy = new TorchSharp.Modules.Parameter(kept)) Assert.Equal(1, copy.item<float>());
        Assert.Equal(before + 1, Tensor.TotalCount);
        GC.KeepAlive(kept);
    }

    private static Tensor Exposed(int elements)
    {
        var tensor = ones(elements);
        tensor.ExposeToHook();
        return tensor;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop()
    {
        var reader = new Reader(Exposed(1));
        reader.Tensor.Dispose();
        RetiredHandles.Close();
    }

    private sealed class Reader(Tensor tensor)
    {
        internal static Tensor? Kept;
        internal static float? Read;

        internal Tensor Tensor => tensor;

        ~Reader()
        {
            Kept = tensor;
            GuardedHandle.DrainOrphans();
            if (!tensor.IsInvalid) Read = tensor.item<float>();
        }
    }
}
