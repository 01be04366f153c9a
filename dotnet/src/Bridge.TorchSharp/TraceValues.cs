namespace Bridge.TorchSharp;

/// <summary>What is recorded of a tensor besides shape, element type and device.</summary>
public enum TraceValues
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>A digest of its elements, which reads them all at each event.</summary>
    Digest,

    /// <summary>
    /// Its elements too, in a file beside the trace: <c>run.values.safetensors</c> beside <c>run.jsonl</c>. Equal tensors are kept once, in memory until the
    /// recording ends.
    /// </summary>
    Full,
}
