using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>A member of TorchSharp that is here by name alone: it throws. docs/api.md lists them, with the reasons.</summary>
/// <param name="reason">Why, as the end of a sentence about the member.</param>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Constructor)]
internal sealed class StubAttribute(string reason) : Attribute
{
    /// <summary>Why.</summary>
    public string Reason => reason;
}

/// <summary>Why members are stubs, and what they throw.</summary>
internal static class Stub
{
    /// <summary>TorchSharp's own body throws NotImplementedException.</summary>
    internal const string Unwritten = "TorchSharp does not implement it either";

    /// <summary>Of operators that libtorch had once.</summary>
    internal const string Removed = "libtorch has removed it";

    /// <summary>Of quantized tensors.</summary>
    internal const string Quantized = "libtorch's stable ABI has no quantized element types";

    /// <summary>Of histograms whose bins are chosen.</summary>
    internal const string Bins = "the widths of these bins are numpy's, which has no operator";

    /// <summary>Of named tensors.</summary>
    internal const string Named = "libtorch's stable ABI carries no names of dimensions";

    /// <summary>What is thrown instead of a result.</summary>
    internal static NotSupportedException Thrown(string reason, [CallerMemberName] string member = "") =>
        new($"TorchSharp's '{member}' cannot be used with Bridge.Torch: {reason}.");
}
