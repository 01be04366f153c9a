namespace Bridge.TorchSharp;

/// <summary>What is recorded of a tensor besides shape, element type and device.</summary>
public enum TraceValues
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>A digest of its elements, which are all read at each event.</summary>
    Digest,

    /// <summary>
    /// A digest and the elements, in a file beside the trace: <c>run.values.safetensors</c> for <c>run.jsonl</c>. Equal tensors are stored
    /// once. They are in memory until the recording ends.
    /// </summary>
    Full,
}
