namespace Bridge.TorchSharp;

/// <summary>The data that is recorded of a tensor besides shape, element type and device.</summary>
public enum TraceValues
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>A digest of the tensor's elements, which are all read at each event.</summary>
    Digest,

    /// <summary>
    /// A digest, and the elements in a file beside the trace: <c>run.values.safetensors</c> for <c>run.jsonl</c>. Equal tensors are stored
    /// once. The elements stay in memory until the file is written.
    /// </summary>
    Full,
}
