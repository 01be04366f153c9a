namespace TorchSharp;

/// <summary>What a thread made and disposed: tensors, packed sequences, and both together.</summary>
public class ThreadDisposeScopeStatistics
{
    public LifetimeStatistics TensorStatistics { get; } = new();

    public LifetimeStatistics PackedSequenceStatistics { get; } = new();

    /// <summary>Made in no scope.</summary>
    public long CreatedOutsideScopeCount => TensorStatistics.CreatedOutsideScopeCount + PackedSequenceStatistics.CreatedOutsideScopeCount;

    /// <summary>Disposed in no scope.</summary>
    public long DisposedOutsideScopeCount =>
        TensorStatistics.DisposedOutsideScopeCount + PackedSequenceStatistics.DisposedOutsideScopeCount;

    /// <summary>Made in a scope.</summary>
    public long CreatedInScopeCount => TensorStatistics.CreatedInScopeCount + PackedSequenceStatistics.CreatedInScopeCount;

    /// <summary>Disposed in a scope, or with it.</summary>
    public long DisposedInScopeCount => TensorStatistics.DisposedInScopeCount + PackedSequenceStatistics.DisposedInScopeCount;

    /// <summary>Taken into a scope later.</summary>
    public long AttachedToScopeCount => TensorStatistics.AttachedToScopeCount + PackedSequenceStatistics.AttachedToScopeCount;

    /// <summary>Taken out of all scopes.</summary>
    public long DetachedFromScopeCount => TensorStatistics.DetachedFromScopeCount + PackedSequenceStatistics.DetachedFromScopeCount;

    /// <summary>Made less disposed. What another thread or the collector disposes is not counted here.</summary>
    public long ThreadTotalLiveCount => TensorStatistics.ThreadTotalLiveCount + PackedSequenceStatistics.ThreadTotalLiveCount;

    /// <summary>Counts from 0 again.</summary>
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
