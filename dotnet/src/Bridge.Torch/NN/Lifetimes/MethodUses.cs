namespace Bridge.Torch;

/// <summary>What a method does with its tensor arguments, and with the tensors that it creates. Bit n stands for argument n.</summary>
/// <param name="IsKnown">Whether the method's code is understood. If not, the method may do anything.</param>
/// <param name="Consumed">The arguments whose last use may be as the argument of a module or operator.</param>
/// <param name="Escaped">The arguments that may be stored where other code finds them.</param>
/// <param name="Misused">The arguments that may be used after their last use in the sense of <paramref name="Consumed"/>.</param>
/// <param name="Returned">The arguments that may be the result.</param>
/// <param name="Result">The origins of the tensors that may be the result.</param>
/// <param name="Shared">
/// The origins of which the method may use a tensor twice or store it. No tensor of such an origin may be freed early.
/// </param>
internal sealed record MethodUses(
    bool IsKnown, uint Consumed, uint Escaped, uint Misused, uint Returned, TensorOrigins Result, TensorOrigins Shared)
{
    /// <summary>The uses of a method whose code is not understood.</summary>
    internal static readonly MethodUses Unknown = new(false, 0, 0, 0, 0, TensorOrigins.None, TensorOrigins.All);
}
