using System.Numerics;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Represents a value in the arguments or the result of a call.</summary>
/// <remarks>Properties that do not apply or were not recorded are null.</remarks>
internal sealed record TraceValue
{
    /// <summary>Gets the kind: <c>tensor</c>, <c>none</c>, <c>int</c>, <c>float</c>, <c>bool</c>, <c>str</c> or <c>object</c>.</summary>
    internal required string Kind { get; init; }

    /// <summary>Gets the sizes of a tensor.</summary>
    internal long[]? Shape { get; init; }

    internal string? DType { get; init; }

    internal string? Device { get; init; }

    /// <summary>Gets the digest of a tensor's elements.</summary>
    internal string? Digest { get; init; }

    /// <summary>Gets a <see cref="BigInteger"/>, double, bool or string.</summary>
    internal object? Literal { get; init; }

    /// <summary>Gets whether the file of values beside the trace has the elements.</summary>
    internal bool Stored { get; init; }

    internal bool IsTensor => Kind == "tensor";

    /// <summary>Gets whether the content is known: a digest, a number or a boolean.</summary>
    internal bool IsKnown => Digest is not null || Literal is BigInteger or double or bool;

    internal bool HasShapeOf(TraceValue other) => Shape.AsSpan().SequenceEqual(other.Shape);

    /// <summary>Compares all properties except <see cref="Stored"/>. NaN equals NaN.</summary>
    /// <param name="other">The other value.</param>
    /// <param name="exact">Whether 0.0 and -0.0 differ.</param>
    internal bool IsSame(TraceValue other, bool exact)
    {
        if ((Kind, DType, Device, Digest) != (other.Kind, other.DType, other.Device, other.Digest) || !HasShapeOf(other)) return false;
        if (Literal is double x && other.Literal is double y)
            return exact && x == 0 ? double.IsNegative(x) == double.IsNegative(y) && y == 0 : x.Equals(y) || x == y;
        return Equals(Literal, other.Literal);
    }
}
