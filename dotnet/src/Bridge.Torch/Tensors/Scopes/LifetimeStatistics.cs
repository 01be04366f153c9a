namespace TorchSharp;

/// <summary>The counts of tensors, or of packed sequences, that a thread created and disposed since the last <see cref="Reset"/>.</summary>
public class LifetimeStatistics
{
    /// <summary>Gets the number created in no scope.</summary>
    public long CreatedOutsideScopeCount { get; internal set; }

    /// <summary>Gets the number disposed while in no scope.</summary>
    public long DisposedOutsideScopeCount { get; internal set; }

    /// <summary>Gets the number created in a scope.</summary>
    public long CreatedInScopeCount { get; internal set; }

    /// <summary>Gets the number disposed while in a scope, or by the scope's end.</summary>
    public long DisposedInScopeCount { get; internal set; }

    /// <summary>Gets the number attached to a scope after creation.</summary>
    public long AttachedToScopeCount { get; internal set; }

    /// <summary>Gets the number that left their scope and entered no other.</summary>
    public long DetachedFromScopeCount { get; internal set; }

    /// <summary>Gets the number created minus the number disposed. Disposals by other threads and by finalizers do not count.</summary>
    public long ThreadTotalLiveCount => CreatedInScopeCount - DisposedInScopeCount + CreatedOutsideScopeCount - DisposedOutsideScopeCount;

    /// <summary>Sets the counts to 0.</summary>
    public void Reset() => Restore(new());

    /// <summary>Returns the counts with their names as text.</summary>
    /// <returns>The text.</returns>
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
