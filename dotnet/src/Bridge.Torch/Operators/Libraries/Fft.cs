namespace TorchSharp;

/// <summary>The direction of a Fourier transform that divides by n. With Ortho, both directions divide by the square root of n.</summary>
public enum FFTNormType
{
    /// <summary>The inverse transforms divide by n.</summary>
    Backward = 0,

    /// <summary>The forward transforms divide by n.</summary>
    Forward = 1,

    /// <summary>Both divide by the square root of n.</summary>
    Ortho = 2,
}

public static partial class torch
{
    /// <summary>Fourier transforms; <c>Fft.tsv</c> has the functions.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/fft.html">torch.fft</see>.</remarks>
    public static partial class fft;
}
