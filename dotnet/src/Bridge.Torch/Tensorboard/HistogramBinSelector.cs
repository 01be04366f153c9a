namespace TorchSharp.Utils.tensorboard.Enums;

/// <summary>How the bins of a histogram for TensorBoard are chosen.</summary>
public enum HistogramBinSelector : byte
{
    /// <summary>Doane's formula, for data that are not normally distributed.</summary>
    Doane = 0,

    /// <summary>Rice's rule, by the number of elements only.</summary>
    Rice = 1,

    /// <summary>Scott's rule, by the number of elements and their standard deviation.</summary>
    Scott = 2,

    /// <summary>The square root of the number of elements.</summary>
    Sqrt = 3,

    /// <summary>Stone's rule, by an estimate of the error from leaving out elements.</summary>
    Stone = 4,

    /// <summary>Sturges' formula, by the binary logarithm of the number of elements.</summary>
    Sturges = 5,

    /// <summary>The bins that TensorFlow uses, whose widths grow exponentially.</summary>
    Tensorflow = 6,
}
