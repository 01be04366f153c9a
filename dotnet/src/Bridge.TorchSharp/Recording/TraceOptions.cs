namespace Bridge.TorchSharp;

/// <summary>The options of a recording.</summary>
public sealed record TraceOptions
{
    /// <summary>Gets the data to record of tensors' elements. With Digest or Full, a file also has digests of the weights.</summary>
    public TraceValues Values { get; init; }

    /// <summary>
    /// Gets whether to measure the time and the managed memory of each call. They are in <see cref="HookTrace.Events"/>,
    /// <see cref="HookTrace.Modules"/> and <see cref="HookTrace.Print"/>, not in the trace file. Reading elements for digests is not
    /// counted, but it slows the model's own operations down.
    /// </summary>
    public bool Timing { get; init; }

    /// <summary>
    /// Gets whether each event is written to the file before the model continues, so that the file has all events even if the process is
    /// killed. No event is kept in memory. An old file is replaced when the recording begins.
    /// </summary>
    public bool Stream { get; init; }

    /// <summary>Gets the maximum number of events; null for no maximum. See <see cref="HookTrace.LimitReached"/>.</summary>
    public long? MaxEvents { get; init; }

    /// <summary>
    /// Gets patterns of the paths of the modules to record, in which <c>*</c> stands for any characters, even dots, and <c>?</c> for one:
    /// <c>encoder.*</c> for all modules below <c>encoder</c>. The root's path is empty. If there is no pattern, all modules are recorded.
    /// </summary>
    public IReadOnlyList<string> Paths { get; init; } = [];

    /// <summary>
    /// Gets the classes of the modules to record; classes derived from them count, too. If there is none, modules of all classes are
    /// recorded.
    /// </summary>
    public IReadOnlyList<Type> Types { get; init; } = [];

    /// <summary>Gets whether to record only if the elements of each tensor are finite.</summary>
    internal bool FindNonFinite { get; init; }

    /// <exception cref="ArgumentException">An option is invalid, or does not go with another.</exception>
    internal void Check(string? file)
    {
        if (!Enum.IsDefined(Values)) throw new ArgumentException($"{Values} is not one of TraceValues.", nameof(Values));
        if (MaxEvents <= 0) throw new ArgumentException($"MaxEvents is {MaxEvents}: it must be positive.", nameof(MaxEvents));
        if (Stream && file is null)
            throw new ArgumentException("Stream needs a file: HookTrace.Record(model, file, options).", nameof(Stream));
        if (Stream && Values == TraceValues.Full)
        {
            throw new ArgumentException(
                "TraceValues.Full keeps elements in memory until the recording ends: use TraceValues.Digest with Stream.", nameof(Values));
        }
    }
}
