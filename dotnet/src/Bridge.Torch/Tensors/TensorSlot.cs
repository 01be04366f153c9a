namespace Bridge.Torch;

/// <summary>Where a tensor that mirrors a Python attribute finds its handle: the Python side owns parameters and buffers.</summary>
internal abstract class TensorSlot
{
    /// <summary>Begins a use of the attribute's handle.</summary>
    /// <exception cref="InvalidOperationException">The attribute is None in Python.</exception>
    /// <exception cref="ObjectDisposedException">No call or hook from Python runs, or the mirror is gone.</exception>
    internal abstract HandleLease Lease();

    /// <summary>A second handle to what the attribute is now, which the caller owns.</summary>
    /// <param name="synchronized">A link that has just looked whether its module's attributes are others in Python.</param>
    /// <param name="optional">None may be given: then it is zero.</param>
    /// <exception cref="InvalidOperationException">The attribute is None in Python, or it has none of that name.</exception>
    /// <exception cref="ObjectDisposedException">No call or hook from Python runs, or the mirror is gone.</exception>
    internal abstract IntPtr NewHandle(ModuleLink synchronized, bool optional);

    /// <summary>The attribute is None in Python.</summary>
    internal abstract bool IsNone { get; }

    /// <summary>Raises what Python raises where it reads the attribute of a module that has none of that name, also no None.</summary>
    internal abstract void RequireAttribute();
}
