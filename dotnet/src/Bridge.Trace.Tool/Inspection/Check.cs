namespace Bridge.Trace.Tool.Inspection;

/// <summary>Names the results of a check.</summary>
internal enum CheckState
{
    /// <summary>What the check looks for is there.</summary>
    Ok,

    /// <summary>Something is unusual, or an extra is missing.</summary>
    Note,

    /// <summary>Something that is required is missing or does not fit.</summary>
    Problem,
}

/// <summary>Represents the result of a check.</summary>
/// <param name="State">The result.</param>
/// <param name="Name">The thing that was checked.</param>
/// <param name="Text">The finding.</param>
/// <param name="Fix">A description of how to solve the problem, or an empty string.</param>
internal sealed record Check(CheckState State, string Name, string Text, string Fix = "");
