namespace TorchSharp;

/// <summary>How many tensors, or packed sequences, a thread made and disposed since the last <see cref="Reset"/>.</summary>
public class LifetimeStatistics
{
    /// <summary>Made in no scope.</summary>
    public long CreatedOutsideScopeCount { get; internal set; }

    /// <summary>Disposed in no scope.</summary>
    public long DisposedOutsideScopeCount { get; internal set; }

    /// <summary>Made in a scope.</summary>
    public long CreatedInScopeCount { get; internal set; }

    /// <summary>Disposed in a scope, or with it.</summary>
    public long DisposedInScopeCount { get; internal set; }

    /// <summary>Taken into a scope later.</summary>
    public long AttachedToScopeCount { get; internal set; }

    /// <summary>Taken out of all scopes.</summary>
    public long DetachedFromScopeCount { get; internal set; }

    /// <summary>Made less disposed. What another thread or the collector disposes is not counted here.</summary>
    public long ThreadTotalLiveCount => CreatedInScopeCount - DisposedInScopeCount + CreatedOutsideScopeCount - DisposedOutsideScopeCount;

    /// <summary>Counts from 0 again.</summary>
    public void Reset() => Restore(new());

    public override string ToString() =>
        $"ThreadTotalLiveCount: {ThreadTotalLiveCount}; CreatedOutsideScopeCount: {CreatedOutsideScopeCount}; DisposedOutsideScopeCount: "
            + $"{DisposedOutsideScopeCount}; " +
        $"CreatedInScopeCount: {CreatedInScopeCount}; DisposedInScopeCount: {DisposedInScopeCount}; " +
        $"AttachedToScopeCount: {AttachedToScopeCount}; DetachedFromScopeCount: {DetachedFromScopeCount}";

    internal LifetimeStatistics Copy() => (LifetimeStatistics)MemberwiseClone();

    internal void Restore(LifetimeStatistics counts)
    {
        CreatedOutsideScopeCount = counts.CreatedOutsideScopeCount;
        DisposedOutsideScopeCount = counts.DisposedOutsideScopeCount;
        CreatedInScopeCount = counts.CreatedInScopeCount;
        DisposedInScopeCount = counts.DisposedInScopeCount;
        AttachedToScopeCount = counts.AttachedToScopeCount;
        DetachedFromScopeCount = counts.DetachedFromScopeCount;
    }
}
