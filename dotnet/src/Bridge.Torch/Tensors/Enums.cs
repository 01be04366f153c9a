namespace TorchSharp;

/// <summary>How <c>torch.cdist</c> computes euclidean distances.</summary>
public enum compute_mode
{
    use_mm_for_euclid_dist_if_necessary = 0,
    use_mm_for_euclid_dist = 1,
    donot_use_mm_for_euclid_dist = 2,
}

/// <summary>The reaction to operators that are not deterministic.</summary>
public enum DebugMode
{
    @default = 0,
    warn = 1,
}

/// <summary>The precision of float32 matrix products.</summary>
public enum Float32MatmulPrecision
{
    highest = 0,
    high = 1,
    medium = 2,
}

/// <summary>How <c>torch.histogram</c> chooses the width of its bins, as numpy does.</summary>
public enum HistogramBinSelector : byte
{
    Doane = 0,
    Rice = 1,
    Scott = 2,
    Sqrt = 3,
    Stone = 4,
    Sturges = 5,
}

/// <summary>The order of a grid's dimensions.</summary>
public enum indexing
{
    xy = 0,
    ij = 1,
}

/// <summary>The memory layout of a tensor's elements.</summary>
public enum layout
{
    strided = 0,
    sparse_coo = 1,
}

/// <summary>The order of dimensions in memory.</summary>
public enum memory_format
{
    preserve_format = 0,
    contiguous_format = 1,
    channels_last = 2,
}

/// <summary>A method of <c>lobpcg</c>.</summary>
public enum LobpcgMethod
{
    basic = 0,
    ortho = 1,
}

/// <summary>The reduction of <c>torch.index_reduce</c>.</summary>
public enum Reduce
{
    prod = 0,
    mean = 1,
    amax = 2,
    amin = 3,
}

/// <summary>Named settings of printing.</summary>
public enum PrintOptionsProfile
{
    @default = 0,
    @short = 1,
    full = 2,
}

public static partial class torch
{
    /// <summary>A method of <c>lobpcg</c>.</summary>
    public enum LobpcgMethod
    {
        basic = 0,
        ortho = 1,
    }

    public static ScalarType qint8 = ScalarType.QInt8;
    public static ScalarType quint8 = ScalarType.QUInt8;
    public static ScalarType qint32 = ScalarType.QInt32;

    public static bool is_quantized(ScalarType type) => type is ScalarType.QInt8 or ScalarType.QUInt8 or ScalarType.QInt32;
}
