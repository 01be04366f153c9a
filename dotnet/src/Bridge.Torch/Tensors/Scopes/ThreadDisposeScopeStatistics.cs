namespace TorchSharp;

/// <summary>The counts of tensors and packed sequences that a thread created and disposed, and their sums.</summary>
public class ThreadDisposeScopeStatistics
{
    public LifetimeStatistics TensorStatistics { get; } = new();

    public LifetimeStatistics PackedSequenceStatistics { get; } = new();

    /// <summary>Gets the number created in no scope.</summary>
    public long CreatedOutsideScopeCount => TensorStatistics.CreatedOutsideScopeCount + PackedSequenceStatistics.CreatedOutsideScopeCount;

    /// <summary>Gets the number disposed in no scope.</summary>
    public long DisposedOutsideScopeCount =>
        TensorStatistics.DisposedOutsideScopeCount + PackedSequenceStatistics.DisposedOutsideScopeCount;

    /// <summary>Gets the number created in a scope.</summary>
    public long CreatedInScopeCount => TensorStatistics.CreatedInScopeCount + PackedSequenceStatistics.CreatedInScopeCount;

    /// <summary>Gets the number disposed in a scope or by its end.</summary>
    public long DisposedInScopeCount => TensorStatistics.DisposedInScopeCount + PackedSequenceStatistics.DisposedInScopeCount;

    /// <summary>Gets the number attached to a scope after creation.</summary>
    public long AttachedToScopeCount => TensorStatistics.AttachedToScopeCount + PackedSequenceStatistics.AttachedToScopeCount;

    /// <summary>Gets the number detached from all scopes.</summary>
    public long DetachedFromScopeCount => TensorStatistics.DetachedFromScopeCount + PackedSequenceStatistics.DetachedFromScopeCount;

    /// <summary>Gets the number created minus the number disposed, without disposals by other threads and the garbage collector.</summary>
    public long ThreadTotalLiveCount => TensorStatistics.ThreadTotalLiveCount + PackedSequenceStatistics.ThreadTotalLiveCount;

    /// <summary>Resets the counts to 0.</summary>
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
