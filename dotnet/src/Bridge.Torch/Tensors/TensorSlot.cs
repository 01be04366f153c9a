namespace Bridge.Torch;

/// <summary>Where a tensor that mirrors a Python attribute finds its handle: the Python side owns parameters and buffers.</summary>
internal abstract class TensorSlot
{
    /// <summary>The attribute's handle, borrowed until the call that acquired it ends.</summary>
    /// <exception cref="InvalidOperationException">The attribute is None in Python, or its mirror is gone.</exception>
    internal abstract IntPtr Handle { get; }

    /// <summary>The attribute is None in Python.</summary>
    internal abstract bool IsNone { get; }
}
