#nullable disable annotations // As in TorchSharp.

using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The normal distribution of vectors, with a mean and a covariance matrix.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.multivariate_normal.MultivariateNormal">
/// torch.distributions.MultivariateNormal</see>.
/// </remarks>
public class MultivariateNormal : distributions.Distribution
{
    /// <summary>Creates a distribution from a mean and one of three matrices: the covariance, its inverse or its Cholesky factor.</summary>
    /// <param name="loc">The mean; its last dimension holds the vector.</param>
    /// <param name="covariance_matrix">The covariance matrix, in the last two dimensions; null if another matrix is given.</param>
    /// <param name="precision_matrix">The inverse of the covariance matrix; null if another matrix is given.</param>
    /// <param name="scale_tril">The lower Cholesky factor of the covariance matrix; null if another matrix is given.</param>
    /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
    /// <exception cref="ArgumentException">Not exactly one matrix is given, or it or <c>loc</c> has too few dimensions.</exception>
    public MultivariateNormal(Tensor loc, Tensor covariance_matrix = null, Tensor precision_matrix = null, Tensor scale_tril = null,
        Generator generator = null) : base(generator)
    {
        if (loc.dim() < 1) throw new ArgumentException("'loc' must have at least one dimension.", nameof(loc));
        Tensor[] given = [.. new[] { covariance_matrix, precision_matrix, scale_tril }.Where(matrix => matrix is not null)];
        if (given is not [var one])
            throw new ArgumentException("Exactly one of 'covariance_matrix', 'precision_matrix' and 'scale_tril' must be given.");
        if (one.dim() < 2) throw new ArgumentException("The matrix must have at least two dimensions.");
        using var scope = NewDisposeScope();
        var factor = scale_tril ?? (covariance_matrix is null ? OfPrecision(precision_matrix) : linalg.cholesky(covariance_matrix));
        var batch = broadcast_shapes(factor.shape[..^2], loc.shape[..^1]);
        Keep(batch.Shape, loc.shape[^1..], loc.expand([.. batch, -1]), factor.expand([.. batch, -1, -1]));
    }

    private Tensor loc => Parameter(0);

    private Tensor scale_tril => Parameter(1);

    /// <inheritdoc/>
    public override Tensor mean => loc;

    /// <inheritdoc/>
    public override Tensor mode => loc;

    /// <inheritdoc/>
    public override Tensor variance => Scoped(() => scale_tril.pow(2).sum(-1));

    /// <inheritdoc/>
    public override Tensor rsample(params long[] sample_shape)
    {
        var shape = ExtendedShape(sample_shape);
        return Scoped(() =>
        {
            var eps = empty(shape, loc.dtype, loc.device).normal_(0, 1, generator);
            return loc + matmul(scale_tril, eps.unsqueeze(-1)).squeeze(-1);
        });
    }

    /// <inheritdoc/>
    public override Tensor log_prob(Tensor value) => Scoped(() =>
    {
        var scaled = linalg.solve_triangular(scale_tril, (value - loc).unsqueeze(-1), upper: false);
        return -0.5 * (event_shape[0] * Math.Log(2 * Math.PI) + scaled.pow(2).sum([-2, -1])) - LogDeterminant();
    });

    /// <inheritdoc/>
    public override distributions.Distribution expand(Size batch_shape, distributions.Distribution instance = null) =>
        Expand(batch_shape, instance, given => new MultivariateNormal(given[0], scale_tril: given[1], generator: generator));

    /// <inheritdoc/>
    public override Tensor entropy() => Scoped(() => 0.5 * event_shape[0] * (1 + Math.Log(2 * Math.PI)) + LogDeterminant());

    /// <summary>Returns half of the logarithm of the covariance's determinant.</summary>
    private Tensor LogDeterminant() => scale_tril.diagonal(0, -2, -1).log().sum(-1);

    /// <summary>Returns the covariance's Cholesky factor, computed from the Cholesky factor of the flipped precision matrix.</summary>
    private static Tensor OfPrecision(Tensor matrix)
    {
        var inverse = linalg.cholesky(matrix.flip(-2, -1)).flip(-2, -1).transpose(-2, -1);
        return linalg.solve_triangular(inverse, eye(matrix.shape[^1], dtype: matrix.dtype, device: matrix.device), upper: false);
    }
}
