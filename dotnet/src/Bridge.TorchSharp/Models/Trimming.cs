namespace Bridge.TorchSharp;

/// <summary>The reason why a recording or a registry of hooks does not work in a trimmed program.</summary>
internal static class Trimming
{
    internal const string Reason =
        "The members of TorchSharp and of the model's classes are found by reflection: trimming may remove them, and native AOT compiles "
        + "no readers for their types.";
}
