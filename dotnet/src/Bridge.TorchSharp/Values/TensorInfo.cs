using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Element type and device of a tensor.</summary>
internal readonly struct TensorKind
{
    private readonly uint _word;

    /// <param name="type">libtorch's number of the element type.</param>
    /// <param name="device">libtorch's number of the device type.</param>
    /// <param name="index">The device index; -1 for none.</param>
    // Composed in a register. A word that was written byte by byte cannot be read before all the bytes are in the cache.
    internal TensorKind(int type, int device, int index) =>
        _word = (uint)ValueKind.Tensor | ((uint)(byte)type << 8) | ((uint)(byte)device << 16) | ((uint)(byte)index << 24);

    internal bool IsUnknown => _word == 0;

    /// <summary>Returns a tensor's first word in an <see cref="EventValues"/>: the bytes of its <c>ValueHeader</c>.</summary>
    /// <param name="dims">The number of dimensions.</param>
    internal long Header(int dims) => _word | ((long)dims << 32);
}

/// <summary>Shape, element type and device of a tensor.</summary>
/// <param name="kind">The element type and the device.</param>
/// <param name="dims">The number of dimensions.</param>
/// <param name="sizes">The shape in the memory of the tensor, which must be alive when it is read.</param>
internal readonly unsafe struct TensorInfo(TensorKind kind, int dims, long* sizes)
{
    internal TensorKind Kind => kind;

    internal ReadOnlySpan<long> Sizes => new(sizes, dims);
}

/// <summary>A thread's last tensor. Often a module's result is the argument of the next module.</summary>
internal struct LastTensor
{
    internal object? Tensor;

    /// <summary>The element type and the device, which do not change, unlike the shape.</summary>
    internal TensorKind Kind;
}
