using System.Globalization;
using System.Text;

namespace Bridge.Hooks;

/// <summary>The first line of a trace file: the circumstances of the recording.</summary>
/// <remarks>Has the same fields as <c>Header</c> in <c>bridge/trace/trace.py</c>.</remarks>
public sealed record TraceHeader
{
    /// <summary>The version of the format of trace files.</summary>
    public const int Schema = 1;

    /// <summary>Gets the runtime's name.</summary>
    public required string Runtime { get; init; }

    /// <summary>Gets the version of the runtime.</summary>
    public string RuntimeVersion { get; init; } = "";

    /// <summary>Gets the version of torchsharp-bridge.</summary>
    public string Bridge { get; init; } = "";

    /// <summary>Gets the version of torch.</summary>
    public string Torch { get; init; } = "";

    /// <summary>Gets the version of Python; empty if the runtime does not use Python.</summary>
    public string Python { get; init; } = "";

    /// <summary>Gets the version of .NET; null if the runtime does not use .NET.</summary>
    public string? DotNet { get; init; }

    /// <summary>Gets the device of the models' first parameter; <c>cpu</c> if they have none.</summary>
    public string Device { get; init; } = "";

    /// <summary>Gets the number of threads that an operator uses.</summary>
    public int Threads { get; init; }

    /// <summary>Gets the seed of torch's generator: 64 bits, signed or unsigned.</summary>
    public Int128 Seed { get; init; }

    /// <summary>Gets the number of modules in the recorded models, including the models themselves.</summary>
    public int Modules { get; init; }

    /// <summary>Gets the data that was recorded of tensors' elements: <c>none</c>, <c>digest</c> or <c>full</c>.</summary>
    public string Values { get; init; } = "none";

    /// <summary>Gets the paths of the recorded models.</summary>
    public IReadOnlyList<string> Roots { get; init; } = [""];

    /// <summary>
    /// Gets the paths of modules whose calls the recording cannot see, although PyTorch's hooks would: TorchSharp runs them as native code
    /// or has no hooks for them. Sorted. The writer omits the field if there are none.
    /// </summary>
    public IReadOnlyList<string> Unseen { get; init; } = [];

    /// <summary>
    /// Gets the digests of the tensors in the arguments of the root calls (those without an enclosing call), in order. A key is
    /// <c>call.position</c>: the number of the root call, and the position among the values of its arguments, both counted from 0. The
    /// writer omits all digests of inputs if the line would be too long.
    /// </summary>
    public IReadOnlyList<KeyValuePair<string, string>> Inputs { get; init; } = [];

    /// <summary>Gets the digests of parameters and buffers by dotted name, in order.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Weights { get; init; } = [];

    internal void Write(StringBuilder text)
    {
        text.Append(CultureInfo.InvariantCulture, $"{{\"schema\":{Schema}");
        AppendField(text, "runtime", Runtime);
        AppendField(text, "runtime_version", RuntimeVersion);
        AppendField(text, "bridge", Bridge);
        AppendField(text, "torch", Torch);
        AppendField(text, "python", Python);
        AppendField(text, "dotnet", DotNet);
        AppendField(text, "device", Device);
        text.Append(CultureInfo.InvariantCulture, $",\"threads\":{Threads},\"seed\":{Seed},\"modules\":{Modules}");
        AppendField(text, "values", Values);
        AppendPaths(text, "roots", Roots);
        if (Unseen.Count > 0) AppendPaths(text, "unseen", Unseen);
        AppendDigests(text, "inputs", Inputs);
        AppendDigests(text, "weights", Weights);
        text.Append("}\n");
    }

    private static void AppendField(StringBuilder text, string name, string? value)
    {
        text.Append(",\"").Append(name).Append("\":");
        if (value is null) text.Append("null");
        else TraceText.Quote(text, value);
    }

    private static void AppendPaths(StringBuilder text, string name, IReadOnlyList<string> paths)
    {
        text.Append(",\"").Append(name).Append("\":[");
        for (var i = 0; i < paths.Count; i++)
        {
            if (i > 0) text.Append(',');
            TraceText.Quote(text, paths[i]);
        }

        text.Append(']');
    }

    private static void AppendDigests(StringBuilder text, string name, IReadOnlyList<KeyValuePair<string, string>> digests)
    {
        text.Append(",\"").Append(name).Append("\":{");
        var first = true;
        foreach (var (key, digest) in digests)
        {
            if (!first) text.Append(',');
            first = false;
            TraceText.Quote(text, key);
            text.Append(':');
            TraceText.Quote(text, digest);
        }

        text.Append('}');
    }
}
