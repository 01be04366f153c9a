using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>A marker of a TorchSharp member that only throws. docs/api.md lists these members with their reasons.</summary>
/// <param name="reason">The reason, as the end of a sentence about the member.</param>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Constructor)]
internal sealed class StubAttribute(string reason) : Attribute
{
    /// <summary>Gets the reason.</summary>
    public string Reason => reason;
}

/// <summary>The reasons of stubs, and the exception that they throw.</summary>
internal static class Stub
{
    /// <summary>The reason for members that TorchSharp does not implement.</summary>
    internal const string Unwritten = "TorchSharp does not implement it either";

    /// <summary>The reason for operators that libtorch has removed.</summary>
    internal const string Removed = "libtorch has removed it";

    /// <summary>The reason for quantized tensors.</summary>
    internal const string Quantized = "libtorch's stable ABI has no quantized element types";

    /// <summary>The reason for histograms with a HistogramBinSelector.</summary>
    internal const string Bins = "libtorch has no operator for numpy's rules of bin widths";

    /// <summary>The reason for named tensors.</summary>
    internal const string Named = "libtorch's stable ABI carries no names of dimensions";

    /// <summary>Creates the exception of a stub.</summary>
    internal static NotSupportedException Error(string reason, [CallerMemberName] string member = "") =>
        new($"TorchSharp's '{member}' cannot be used with Bridge.Torch: {reason}.");
}
