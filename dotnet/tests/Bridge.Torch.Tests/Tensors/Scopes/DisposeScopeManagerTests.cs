using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests DisposeScopeManager.cs: a thread's counts of tensors and packed sequences equal TorchSharp's.</summary>
public sealed class DisposeScopeManagerTests : WithTorch
{
    public DisposeScopeManagerTests() => DisposeScopeManager.Statistics.Reset();

    [Fact]
    public void Tensors_are_counted_where_they_are_made_and_disposed()
    {
        var outside = ones(2);
        using (var scope = NewDisposeScope())
        {
            var inside = ones(2);
            scope.Attach(outside);
            _ = ones(3).DetachFromDisposeScope();
            _ = ones(4).MoveToOuterDisposeScope(); // there is no outer one
            inside.Dispose();
            inside.Dispose();
        }

        Check(DisposeScopeManager.Statistics.TensorStatistics, createdOutside: 1, disposedOutside: 0, createdIn: 3, disposedIn: 2,
            attached: 1, detached: 2);
        ones(5).Dispose();
        Check(DisposeScopeManager.Statistics.TensorStatistics, createdOutside: 2, disposedOutside: 1, createdIn: 3, disposedIn: 2,
            attached: 1, detached: 2);
        Assert.Equal(2, DisposeScopeManager.Statistics.ThreadTotalLiveCount);
    }

    [Fact]
    public void A_tensor_of_numbers_is_one_tensor()
    {
        using var one = tensor(3);
        using var many = tensor(new[] { 1f, 2f });
        Check(DisposeScopeManager.Statistics.TensorStatistics, createdOutside: 2, disposedOutside: 0, createdIn: 0, disposedIn: 0,
            attached: 0, detached: 0);
    }

    [Fact]
    public void A_parameter_takes_the_place_of_its_tensor()
    {
        TorchSharp.Modules.Parameter parameter;
        using (var scope = NewDisposeScope())
        {
            using var data = tensor(3f);
            parameter = new(data);
            Assert.Equal([parameter], scope.DisposablesView);
            Assert.True(data.IsInvalid);
        }

        Assert.True(parameter.IsInvalid);
        Check(DisposeScopeManager.Statistics.TensorStatistics, createdOutside: 0, disposedOutside: 0, createdIn: 1, disposedIn: 1,
            attached: 0, detached: 0);
    }

    [Fact]
    public void A_packed_sequence_is_in_the_scope_in_place_of_its_tensors()
    {
        nn.utils.rnn.PackedSequence packed;
        using (var outer = NewDisposeScope())
        {
            using (var scope = NewDisposeScope())
            {
                packed = nn.utils.rnn.pack_sequence([ones(4), ones(2)], enforce_sorted: false);
                Assert.Equal(3, scope.DisposablesCount); // and the two sequences
                Assert.True(scope.Contains(packed));
                Assert.Contains(packed, scope.DisposablesView);
                packed.MoveToOuterDisposeScope();
            }

            Assert.Equal(6, packed.data.numel());
            Assert.Equal([packed], outer.DisposablesView);
        }

        Assert.True(packed.data.IsInvalid);
        var all = DisposeScopeManager.Statistics;
        Check(all.PackedSequenceStatistics, createdOutside: 0, disposedOutside: 0, createdIn: 1, disposedIn: 1, attached: 0, detached: 0);
        Check(all.TensorStatistics, createdOutside: 0, disposedOutside: 0, createdIn: 6, disposedIn: 6, attached: 0, detached: 4);
        Assert.Equal(
            "ThreadTotalLiveCount: 0; CreatedOutsideScopeCount: 0; DisposedOutsideScopeCount: 0; CreatedInScopeCount: 7; "
            + "DisposedInScopeCount: 7; AttachedToScopeCount: 0; DetachedFromScopeCount: 4", all.ToString());
    }

    [Fact]
    public void What_a_scope_cannot_manage_is_named()
    {
        using var scope = NewDisposeScope();
        using var stream = new MemoryStream();
        Assert.Contains(nameof(MemoryStream), Assert.Throws<InvalidOperationException>(() => scope.Attach(stream)).Message);
    }

    private static void Check(LifetimeStatistics counts, long createdOutside, long disposedOutside, long createdIn, long disposedIn,
        long attached, long detached) =>
        Assert.Equal(
            (createdOutside, disposedOutside, createdIn, disposedIn, attached, detached),
            (counts.CreatedOutsideScopeCount, counts.DisposedOutsideScopeCount, counts.CreatedInScopeCount, counts.DisposedInScopeCount,
                counts.AttachedToScopeCount, counts.DetachedFromScopeCount));
}
