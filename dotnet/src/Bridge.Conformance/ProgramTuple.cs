using System.Runtime.CompilerServices;

namespace Bridge.Conformance;

/// <summary>A tuple of any length in a hook program.</summary>
/// <param name="items">The items.</param>
internal sealed class ProgramTuple(params object?[] items) : ITuple
{
    public int Length => items.Length;

    public object? this[int index] => items[index];
}
