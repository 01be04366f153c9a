#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The chi-squared distribution with <c>df</c> degrees of freedom. It is a gamma distribution.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.chi2.Chi2">
/// torch.distributions.Chi2</see>.
/// </remarks>
public class Chi2 : Gamma
{
    /// <summary>Creates a chi-squared distribution from its degrees of freedom.</summary>
    /// <param name="df">The degrees of freedom, positive, of any shape.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public Chi2(Tensor df, Generator generator = null) : base(0.5 * df, df.new_full([], 0.5), generator) { }

    /// <summary>Gets the degrees of freedom of this <c>Chi2</c>.</summary>
    public Tensor df => concentration * 2;

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Chi2(given[0] * 2, generator));
}
