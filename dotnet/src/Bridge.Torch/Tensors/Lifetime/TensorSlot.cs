namespace Bridge.Torch;

/// <summary>
/// Access to the Python attribute that has the value of a parameter or buffer of a C# module. The attribute belongs to the module's mirror,
/// the <c>nn.Module</c> that represents the C# module in Python.
/// </summary>
internal abstract class TensorSlot
{
    /// <summary>Starts a use of the attribute's handle.</summary>
    /// <exception cref="Exception">Python's AttributeError or RuntimeError: the attribute does not exist in Python, or is None.</exception>
    /// <exception cref="ObjectDisposedException">No call or hook from Python is running, or the mirror was collected.</exception>
    internal abstract HandleLease Lease();

    /// <summary>Returns a new handle, which the caller owns, to the attribute's current value.</summary>
    /// <param name="synchronized">
    /// The called module's link to its mirror. The caller has just read the mirror's state into the link.
    /// </param>
    /// <param name="optional">Whether to return zero for None.</param>
    /// <exception cref="Exception">
    /// Python's AttributeError or RuntimeError: the attribute does not exist in Python, or is None and <paramref name="optional"/> is
    /// false.
    /// </exception>
    /// <exception cref="ObjectDisposedException">No call or hook from Python is running, or the mirror was collected.</exception>
    internal abstract IntPtr NewHandle(ModuleLink synchronized, bool optional);

    /// <summary>Gets whether the attribute is None or does not exist in Python.</summary>
    internal abstract bool IsNone { get; }

    /// <summary>Throws Python's exception if the attribute does not exist.</summary>
    internal abstract void RequireAttribute();
}
