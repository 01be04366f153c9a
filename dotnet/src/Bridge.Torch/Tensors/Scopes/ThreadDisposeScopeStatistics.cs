namespace TorchSharp;

/// <summary>A thread's counts of tensors, its counts of packed sequences, and the sums of the two.</summary>
public class ThreadDisposeScopeStatistics
{
    /// <summary>Gets the counts of tensors.</summary>
    public LifetimeStatistics TensorStatistics { get; } = new();

    /// <summary>Gets the counts of packed sequences.</summary>
    public LifetimeStatistics PackedSequenceStatistics { get; } = new();

    /// <summary>Gets the number of tensors and packed sequences created in no scope.</summary>
    public long CreatedOutsideScopeCount => TensorStatistics.CreatedOutsideScopeCount + PackedSequenceStatistics.CreatedOutsideScopeCount;

    /// <summary>Gets the number of tensors and packed sequences disposed while in no scope.</summary>
    public long DisposedOutsideScopeCount =>
        TensorStatistics.DisposedOutsideScopeCount + PackedSequenceStatistics.DisposedOutsideScopeCount;

    /// <summary>Gets the number of tensors and packed sequences created in a scope.</summary>
    public long CreatedInScopeCount => TensorStatistics.CreatedInScopeCount + PackedSequenceStatistics.CreatedInScopeCount;

    /// <summary>Gets the number of tensors and packed sequences disposed while in a scope, or by the scope's end.</summary>
    public long DisposedInScopeCount => TensorStatistics.DisposedInScopeCount + PackedSequenceStatistics.DisposedInScopeCount;

    /// <summary>Gets the number of tensors and packed sequences attached to a scope after creation.</summary>
    public long AttachedToScopeCount => TensorStatistics.AttachedToScopeCount + PackedSequenceStatistics.AttachedToScopeCount;

    /// <summary>Gets the number of tensors and packed sequences detached from all scopes.</summary>
    public long DetachedFromScopeCount => TensorStatistics.DetachedFromScopeCount + PackedSequenceStatistics.DetachedFromScopeCount;

    /// <summary>Gets the number of tensors and packed sequences created minus the number disposed.</summary>
    /// <remarks>Disposals by other threads and by finalizers do not count.</remarks>
    public long ThreadTotalLiveCount => TensorStatistics.ThreadTotalLiveCount + PackedSequenceStatistics.ThreadTotalLiveCount;

    /// <summary>Sets the counts of tensors and of packed sequences to 0.</summary>
    public void Reset()
    {
        TensorStatistics.Reset();
        PackedSequenceStatistics.Reset();
    }

    /// <summary>Returns the sums with their names as text.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"ThreadTotalLiveCount: {ThreadTotalLiveCount}; CreatedOutsideScopeCount: {CreatedOutsideScopeCount}; DisposedOutsideScopeCount: "
            + $"{DisposedOutsideScopeCount}; " +
        $"CreatedInScopeCount: {CreatedInScopeCount}; DisposedInScopeCount: {DisposedInScopeCount}; " +
        $"AttachedToScopeCount: {AttachedToScopeCount}; DetachedFromScopeCount: {DetachedFromScopeCount}";
}
