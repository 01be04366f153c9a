namespace TorchSharp;

/// <summary>How <c>torch.cdist</c> computes euclidean distances.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cdist.html">torch.cdist</see>.</remarks>
public enum compute_mode
{
    /// <summary>By matrix products, if one of the sets has more than 25 rows.</summary>
    use_mm_for_euclid_dist_if_necessary = 0,

    /// <summary>Always by matrix products.</summary>
    use_mm_for_euclid_dist = 1,

    /// <summary>Never by matrix products.</summary>
    donot_use_mm_for_euclid_dist = 2,
}

/// <summary>The reaction to operators that are not deterministic; the functions that take or return it only throw.</summary>
/// <remarks>
/// PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_deterministic_debug_mode.html">
/// torch.set_deterministic_debug_mode</see>.
/// </remarks>
public enum DebugMode
{
    /// <summary>No reaction.</summary>
    @default = 0,

    /// <summary>A warning.</summary>
    warn = 1,
}

/// <summary>The precision of float32 matrix products; the functions that take or return it only throw.</summary>
/// <remarks>
/// PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html">
/// torch.set_float32_matmul_precision</see>.
/// </remarks>
public enum Float32MatmulPrecision
{
    /// <summary>Float32 throughout.</summary>
    highest = 0,

    /// <summary>Parts in TensorFloat32, or as sums of two bfloat16 numbers.</summary>
    high = 1,

    /// <summary>Parts in bfloat16.</summary>
    medium = 2,
}

/// <summary>The rules by which numpy chooses the width of a histogram's bins; functions that take one only throw.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
public enum HistogramBinSelector : byte
{
    /// <summary>Doane's rule, which takes the skewness of the data into account.</summary>
    Doane = 0,

    /// <summary>The Rice rule, by the cube root of the number of elements.</summary>
    Rice = 1,

    /// <summary>Scott's rule, by the standard deviation of the data.</summary>
    Scott = 2,

    /// <summary>The square root of the number of elements, as the number of bins.</summary>
    Sqrt = 3,

    /// <summary>Stone's rule, by an estimate of the squared error.</summary>
    Stone = 4,

    /// <summary>Sturges' rule, by the logarithm of the number of elements.</summary>
    Sturges = 5,
}

/// <summary>The order of a grid's first two dimensions.</summary>
/// <remarks>
/// No member of this library takes or returns this type. <c>torch.meshgrid</c> takes a string. PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/generated/torch.meshgrid.html">torch.meshgrid</see>.
/// </remarks>
public enum indexing
{
    /// <summary>Columns first, then rows.</summary>
    xy = 0,

    /// <summary>Rows first, then columns.</summary>
    ij = 1,
}

/// <summary>The memory layout of a tensor's elements.</summary>
/// <remarks>
/// No member of this library takes or returns this type. PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.layout">torch.layout</see>.
/// </remarks>
public enum layout
{
    /// <summary>Dense, with one stride per dimension.</summary>
    strided = 0,

    /// <summary>Sparse, as a list of coordinates and elements.</summary>
    sparse_coo = 1,
}

/// <summary>The order of dimensions in memory.</summary>
/// <remarks>
/// No member of this library takes or returns this type. PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.memory_format">torch.memory_format</see>.
/// </remarks>
public enum memory_format
{
    /// <summary>The order that the input has.</summary>
    preserve_format = 0,

    /// <summary>The last dimension varies fastest (C order).</summary>
    contiguous_format = 1,

    /// <summary>The channels vary fastest: NHWC in memory for an NCHW tensor.</summary>
    channels_last = 2,
}

/// <summary>A method of <c>lobpcg</c>, which computes extreme eigenvalues.</summary>
/// <remarks>
/// No member of this library takes or returns this type. PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/generated/torch.lobpcg.html">torch.lobpcg</see>.
/// </remarks>
public enum LobpcgMethod
{
    /// <summary>LOBPCG as first published.</summary>
    basic = 0,

    /// <summary>LOBPCG with an orthogonal basis, which is more robust.</summary>
    ortho = 1,
}

/// <summary>The reduction of <c>torch.index_reduce</c>, which only throws.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html">torch.Tensor.index_reduce_</see>.
/// </remarks>
public enum Reduce
{
    /// <summary>The product.</summary>
    prod = 0,

    /// <summary>The mean.</summary>
    mean = 1,

    /// <summary>The largest element.</summary>
    amax = 2,

    /// <summary>The smallest element.</summary>
    amin = 3,
}

/// <summary>Named settings of printing.</summary>
/// <remarks>
/// No member of this library takes or returns this type. PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html">torch.set_printoptions</see>.
/// </remarks>
public enum PrintOptionsProfile
{
    /// <summary>The defaults of PyTorch.</summary>
    @default = 0,

    /// <summary>Fewer digits and elements.</summary>
    @short = 1,

    /// <summary>All elements.</summary>
    full = 2,
}

public static partial class torch
{
    /// <summary>A copy of <see cref="TorchSharp.LobpcgMethod"/> within <c>torch</c>.</summary>
    /// <remarks>No member of this library takes or returns this type.</remarks>
    public enum LobpcgMethod
    {
        /// <summary>The same as <see cref="TorchSharp.LobpcgMethod.basic"/>.</summary>
        basic = 0,

        /// <summary>The same as <see cref="TorchSharp.LobpcgMethod.ortho"/>.</summary>
        ortho = 1,
    }

    /// <summary>The type of quantized signed 8-bit integers; Bridge.Torch cannot create such tensors.</summary>
    public static ScalarType qint8 = ScalarType.QInt8;

    /// <summary>The type of quantized unsigned 8-bit integers; Bridge.Torch cannot create such tensors.</summary>
    public static ScalarType quint8 = ScalarType.QUInt8;

    /// <summary>The type of quantized signed 32-bit integers; Bridge.Torch cannot create such tensors.</summary>
    public static ScalarType qint32 = ScalarType.QInt32;

    /// <summary>Returns whether an element type is quantized.</summary>
    /// <param name="type">The element type.</param>
    /// <returns>True for QInt8, QUInt8 and QInt32.</returns>
    public static bool is_quantized(ScalarType type) => type is ScalarType.QInt8 or ScalarType.QUInt8 or ScalarType.QInt32;
}
