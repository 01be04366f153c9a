#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The chi-squared distribution with <c>df</c> degrees of freedom. It is a gamma distribution.</summary>
public class Chi2 : Gamma
{
    public Chi2(Tensor df, Generator generator = null) : base(0.5 * df, df.new_full([], 0.5), generator) { }

    /// <summary>Gets the degrees of freedom.</summary>
    public Tensor df => concentration * 2;

    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new Chi2(given[0] * 2, generator));
}
