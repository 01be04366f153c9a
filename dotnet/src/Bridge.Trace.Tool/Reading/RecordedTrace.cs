using System.Numerics;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Represents the first line of a trace file: the circumstances of the recording.</summary>
/// <param name="Runtime">The runtime that made the calls.</param>
/// <param name="RuntimeVersion">The version of that runtime.</param>
/// <param name="Torch">The version of torch.</param>
/// <param name="Python">The version of Python.</param>
/// <param name="DotNet">The version of .NET, or null.</param>
/// <param name="Device">The device of the models.</param>
/// <param name="Seed">The initial seed of torch.</param>
/// <param name="Modules">The number of modules.</param>
/// <param name="Values">The recorded data of tensors: <c>none</c>, <c>digest</c> or <c>full</c>.</param>
/// <param name="Unseen">The paths of modules whose calls the recording cannot see.</param>
/// <param name="Inputs">The digests of the tensors in the arguments of root calls.</param>
/// <param name="Weights">The digests of the parameters and buffers.</param>
internal sealed record TraceFileHeader(
    string Runtime,
    string RuntimeVersion,
    string Torch,
    string Python,
    string? DotNet,
    string Device,
    BigInteger Seed,
    BigInteger Modules,
    string Values,
    IReadOnlyList<string> Unseen,
    IReadOnlyList<KeyValuePair<string, string>> Inputs,
    IReadOnlyList<KeyValuePair<string, string>> Weights);

/// <summary>Represents the last line of a trace file.</summary>
/// <param name="Events">The number of events.</param>
/// <param name="Known">The number of values whose content is known.</param>
/// <param name="Digest">The SHA-256 of the event lines.</param>
internal sealed record TraceFooter(BigInteger Events, BigInteger Known, string Digest);

/// <summary>Represents a trace that was read from a file.</summary>
/// <param name="header">The first line.</param>
/// <param name="events">The events; called at first use.</param>
/// <param name="count">The number of events.</param>
/// <param name="elements">The elements of tensors; null if the trace has none.</param>
internal sealed class RecordedTrace(
    TraceFileHeader header, Func<IReadOnlyList<TraceEvent>> events, BigInteger count, ElementsFile? elements)
{
    private readonly Lazy<IReadOnlyList<TraceEvent>> _events = new(events);

    internal TraceFileHeader Header => header;

    internal string Runtime => header.Runtime;

    internal IReadOnlyList<TraceEvent> Events => _events.Value;

    internal BigInteger Count => count;

    internal ElementsFile? Elements => elements;

    /// <summary>Returns the trace without the events after the first <paramref name="count"/>.</summary>
    internal RecordedTrace First(int count) =>
        Count <= count ? this : new(header, () => [.. Events.Take(count)], count, elements);

    /// <summary>Gets the number of module calls. Direct calls of <c>forward()</c> do not count.</summary>
    internal int Calls => Events.Count(item => item.Phase == TraceEvent.Pre);
}
