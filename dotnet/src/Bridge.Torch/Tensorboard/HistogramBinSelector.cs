namespace TorchSharp.Utils.tensorboard.Enums;

/// <summary>How the bins of a histogram for TensorBoard are chosen.</summary>
public enum HistogramBinSelector : byte
{
    Doane = 0,
    Rice = 1,
    Scott = 2,
    Sqrt = 3,
    Stone = 4,
    Sturges = 5,
    Tensorflow = 6,
}
