using System.Globalization;
using System.Text;

namespace Bridge.Hooks;

/// <summary>How a trace came to be: the first line of a trace file, and all that differs from run to run.</summary>
/// <remarks>Field for field what <c>Header</c> in trace.py is.</remarks>
public sealed record TraceHeader
{
    /// <summary>The version of the fields.</summary>
    public const int Schema = 1;

    /// <summary>The runtime's name.</summary>
    public required string Runtime { get; init; }

    /// <summary>The version of what made the calls.</summary>
    public string RuntimeVersion { get; init; } = "";

    /// <summary>The version of this package.</summary>
    public string Bridge { get; init; } = "";

    /// <summary>The version of torch.</summary>
    public string Torch { get; init; } = "";

    /// <summary>The version of Python.</summary>
    public string Python { get; init; } = "";

    /// <summary>The version of .NET; null where it was not involved.</summary>
    public string? DotNet { get; init; }

    /// <summary>Where the first parameter is.</summary>
    public string Device { get; init; } = "";

    /// <summary>The number of threads within an operator.</summary>
    public int Threads { get; init; }

    /// <summary>The seed of torch's generator: 64 bits, signed or not.</summary>
    public Int128 Seed { get; init; }

    /// <summary>The number of modules.</summary>
    public int Modules { get; init; }

    /// <summary>What was kept of tensors: <c>none</c>, <c>digest</c> or <c>full</c>.</summary>
    public string Values { get; init; } = "none";

    /// <summary>The roots' module paths.</summary>
    public IReadOnlyList<string> Roots { get; init; } = [""];

    /// <summary>Digests of the root calls' arguments by <c>call.position</c>, in order; not written where they are too many for a line.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Inputs { get; init; } = [];

    /// <summary>Digests of parameters and buffers by dotted name, in order.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Weights { get; init; } = [];

    internal void Write(StringBuilder text)
    {
        text.Append(CultureInfo.InvariantCulture, $"{{\"schema\":{Schema}");
        Field(text, "runtime", Runtime);
        Field(text, "runtime_version", RuntimeVersion);
        Field(text, "bridge", Bridge);
        Field(text, "torch", Torch);
        Field(text, "python", Python);
        Field(text, "dotnet", DotNet);
        Field(text, "device", Device);
        text.Append(CultureInfo.InvariantCulture, $",\"threads\":{Threads},\"seed\":{Seed},\"modules\":{Modules}");
        Field(text, "values", Values);
        text.Append(",\"roots\":[");
        for (var i = 0; i < Roots.Count; i++)
        {
            if (i > 0) text.Append(',');
            TraceText.Quote(text, Roots[i]);
        }

        text.Append(']');
        Digests(text, "inputs", Inputs);
        Digests(text, "weights", Weights);
        text.Append("}\n");
    }

    private static void Field(StringBuilder text, string name, string? value)
    {
        text.Append(",\"").Append(name).Append("\":");
        if (value is null) text.Append("null");
        else TraceText.Quote(text, value);
    }

    private static void Digests(StringBuilder text, string name, IReadOnlyList<KeyValuePair<string, string>> digests)
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
