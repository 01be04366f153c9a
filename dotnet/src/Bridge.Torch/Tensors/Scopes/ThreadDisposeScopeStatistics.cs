namespace TorchSharp;

/// <summary>The counts of tensors and packed sequences that a thread created and disposed, and their sums.</summary>
public class ThreadDisposeScopeStatistics
{
    public LifetimeStatistics TensorStatistics { get; } = new();

    public LifetimeStatistics PackedSequenceStatistics { get; } = new();

    public long CreatedOutsideScopeCount => TensorStatistics.CreatedOutsideScopeCount + PackedSequenceStatistics.CreatedOutsideScopeCount;

    public long DisposedOutsideScopeCount =>
        TensorStatistics.DisposedOutsideScopeCount + PackedSequenceStatistics.DisposedOutsideScopeCount;

    public long CreatedInScopeCount => TensorStatistics.CreatedInScopeCount + PackedSequenceStatistics.CreatedInScopeCount;

    public long DisposedInScopeCount => TensorStatistics.DisposedInScopeCount + PackedSequenceStatistics.DisposedInScopeCount;

    public long AttachedToScopeCount => TensorStatistics.AttachedToScopeCount + PackedSequenceStatistics.AttachedToScopeCount;

    public long DetachedFromScopeCount => TensorStatistics.DetachedFromScopeCount + PackedSequenceStatistics.DetachedFromScopeCount;

    public long ThreadTotalLiveCount => TensorStatistics.ThreadTotalLiveCount + PackedSequenceStatistics.ThreadTotalLiveCount;

    public void Reset()
    {
        TensorStatistics.Reset();
        PackedSequenceStatistics.Reset();
    }

    public override string ToString() =>
        $"ThreadTotalLiveCount: {ThreadTotalLiveCount}; CreatedOutsideScopeCount: {CreatedOutsideScopeCount}; DisposedOutsideScopeCount: "
            + $"{DisposedOutsideScopeCount}; " +
        $"CreatedInScopeCount: {CreatedInScopeCount}; DisposedInScopeCount: {DisposedInScopeCount}; " +
        $"AttachedToScopeCount: {AttachedToScopeCount}; DetachedFromScopeCount: {DetachedFromScopeCount}";
}
