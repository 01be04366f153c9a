namespace Bridge.Torch;

/// <summary>How a method got a new tensor.</summary>
[Flags]
internal enum TensorOrigins
{
    /// <summary>In none of the ways below.</summary>
    None = 0,

    /// <summary>As the result of a module's call.</summary>
    Call = 1,

    /// <summary>As the result of an operator.</summary>
    Operator = 2,

    /// <summary>In any of the ways above.</summary>
    All = Call | Operator,
}
