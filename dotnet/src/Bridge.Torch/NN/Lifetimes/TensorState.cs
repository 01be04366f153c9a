namespace Bridge.Torch;

/// <summary>The tensors that the variables of a method and its evaluation stack may hold at one instruction.</summary>
/// <remarks>Each bit of a value stands for a tensor: an argument, or the result of one instruction. 0 stands for any other value.</remarks>
internal sealed class TensorState(UInt128[] arguments, UInt128[] locals, List<UInt128> stack, UInt128 used)
{
    internal UInt128[] Arguments => arguments;

    internal UInt128[] Locals => locals;

    internal List<UInt128> Stack => stack;

    /// <summary>Gets or sets the tensors whose only use may have been made.</summary>
    internal UInt128 Used { get; set; } = used;

    internal TensorState Copy() => new([.. arguments], [.. locals], [.. stack], Used);

    internal UInt128 Pop()
    {
        var value = stack[^1];
        stack.RemoveAt(stack.Count - 1);
        return value;
    }

    /// <summary>
    /// Removes from <see cref="Used"/> the tensors that no variable may hold. Otherwise, where paths meet, a tensor that is unused on one
    /// path would count as used because of the other.
    /// </summary>
    internal void ForgetUnheld()
    {
        var held = UInt128.Zero;
        foreach (var value in arguments) held |= value;
        foreach (var value in locals) held |= value;
        foreach (var value in stack) held |= value;
        Used &= held;
    }

    /// <summary>Adds what another path to the same instruction may have left.</summary>
    /// <returns>Whether this state has changed; null if the stacks differ in their length.</returns>
    internal bool? Merge(TensorState other)
    {
        if (stack.Count != other.Stack.Count) return null;
        var changed = (other.Used & ~Used) != 0;
        Used |= other.Used;
        for (var i = 0; i < arguments.Length; i++) changed |= Add(ref arguments[i], other.Arguments[i]);
        for (var i = 0; i < locals.Length; i++) changed |= Add(ref locals[i], other.Locals[i]);
        for (var i = 0; i < stack.Count; i++)
        {
            var value = stack[i];
            changed |= Add(ref value, other.Stack[i]);
            stack[i] = value;
        }

        return changed;
    }

    /// <summary>Replaces a tensor by another in all variables.</summary>
    internal void Rename(UInt128 tensor, UInt128 by)
    {
        for (var i = 0; i < arguments.Length; i++) arguments[i] = Renamed(arguments[i], tensor, by);
        for (var i = 0; i < locals.Length; i++) locals[i] = Renamed(locals[i], tensor, by);
        for (var i = 0; i < stack.Count; i++) stack[i] = Renamed(stack[i], tensor, by);
    }

    private static UInt128 Renamed(UInt128 value, UInt128 tensor, UInt128 by) => (value & tensor) == 0 ? value : value & ~tensor | by;

    private static bool Add(ref UInt128 value, UInt128 other)
    {
        var changed = (other & ~value) != 0;
        value |= other;
        return changed;
    }
}
