#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The Fisher-Snedecor distribution: a quotient of two chi-squared variables, each divided by its degrees of freedom.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.fishersnedecor.FisherSnedecor">
/// torch.distributions.FisherSnedecor</see>.
/// </remarks>
public class FisherSnedecor : distributions.Distribution
{
    private Gamma gamma1, gamma2;

    /// <summary>Creates a Fisher-Snedecor distribution from two degrees of freedom.</summary>
    /// <param name="df1">The degrees of freedom of the numerator, positive, of any shape.</param>
    /// <param name="df2">The degrees of freedom of the denominator, positive, which broadcasts with <c>df1</c>.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    public FisherSnedecor(Tensor df1, Tensor df2, Generator generator = null) : base(generator)
    {
        Broadcast(df1, df2);
        using var scope = NewDisposeScope();
        gamma1 = Own(new Gamma(this.df1 * 0.5, this.df1, generator));
        gamma2 = Own(new Gamma(this.df2 * 0.5, this.df2, generator));
    }

    private Tensor df1 => Parameter(0);

    private Tensor df2 => Parameter(1);

    /// <inheritdoc/>
    /// <remarks>NaN where <c>df2</c> is at most 2.</remarks>
    public override Tensor mean => Scoped(() =>
    {
        var d2 = Above(2, df2);
        return d2 / (d2 - 2);
    });

    /// <inheritdoc/>
    /// <remarks>NaN where <c>df1</c> is at most 2.</remarks>
    public override Tensor mode => Scoped(() =>
    {
        var d1 = Above(2, df1);
        return (d1 - 2) / d1 * df2 / (df2 + 2);
    });

    /// <inheritdoc/>
    /// <remarks>NaN where <c>df2</c> is at most 4.</remarks>
    public override Tensor variance => Scoped(() =>
    {
        var d2 = Above(4, df2);
        return 2 * d2.pow(2) * (df1 + d2 - 2) / (df1 * (d2 - 2).pow(2) * (d2 - 4));
    });

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape) => Scoped(() =>
    {
        var tiny = finfo(df1.dtype).tiny;
        var (x1, x2) = (gamma1.rsample(sample_shape), gamma2.rsample(sample_shape));
        x2.detach().clamp_(min: tiny);
        var quotient = x1 / x2;
        return quotient.clamp_(min: tiny);
    });

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var (half1, half2, ratio) = (df1 * 0.5, df2 * 0.5, df1 / df2);
        return (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma() + half1 * ratio.log() + (half1 - 1) * value.log()
            - (half1 + half2) * (ratio * value).log1p();
    });

    /// <inheritdoc/>
    /// <exception cref="NotImplementedException">Always, as in PyTorch.</exception>
    public override Tensor entropy() => throw new NotImplementedException("FisherSnedecor has no entropy.");

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new FisherSnedecor(given[0], given[1], generator));

    private protected override void Adopt(distributions.Distribution other)
    {
        base.Adopt(other);
        (gamma1, gamma2) = (((FisherSnedecor)other).gamma1, ((FisherSnedecor)other).gamma2);
    }

    /// <summary>Returns degrees of freedom where they are above a bound, else NaN.</summary>
    private static Tensor Above(double bound, Tensor df) => df.masked_fill(df <= bound, double.NaN);
}
