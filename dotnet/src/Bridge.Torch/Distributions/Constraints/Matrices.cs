#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>Matrices with zeros above the diagonal.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.lower_triangular</see>.
            /// </remarks>
            public class _LowerTriangular : Constraint
            {
                /// <summary>Creates the constraint that a matrix is lower triangular.</summary>
                public _LowerTriangular() : base(false, 2) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value.tril() == value).flatten(-2, -1).all(-1));
            }

            /// <summary>Lower triangular matrices with a positive diagonal.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.lower_cholesky</see>.
            /// </remarks>
            public class _LowerCholesky : Constraint
            {
                /// <summary>Creates the constraint that a matrix is a lower Cholesky factor.</summary>
                public _LowerCholesky() : base(false, 2) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                    lower_triangular.check(value).logical_and((value.diagonal(0, -2, -1) > 0).all(-1)));
            }

            /// <summary>Lower triangular matrices with a positive diagonal and rows of Euclidean norm 1.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.corr_cholesky</see>.
            /// </remarks>
            public class _CorrCholesky : Constraint
            {
                /// <summary>Creates the constraint that a matrix is a correlation matrix's lower Cholesky factor.</summary>
                public _CorrCholesky() : base(false, 2) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var tolerance = finfo(value.dtype).eps * value.shape[^1] * 10;
                    var unit = ((value.detach().pow(2).sum(-1).sqrt() - 1).abs() <= tolerance).all(-1);
                    return lower_cholesky.check(value).logical_and(unit);
                });
            }

            /// <summary>Square matrices.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.square</see>.
            /// </remarks>
            public class _Square : Constraint
            {
                /// <summary>Creates the constraint that a matrix is square.</summary>
                public _Square() : base(false, 2) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    full(value.shape[..^2], value.shape[^2] == value.shape[^1], ScalarType.Bool, value.device);
            }

            /// <summary>Symmetric matrices.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.symmetric</see>.
            /// </remarks>
            public class _Symmetric : _Square
            {
                /// <inheritdoc/>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var within = base.check(value);
                    return within.all().item<bool>() ? value.isclose(value.transpose(-2, -1), atol: 1e-6).all(-2).all(-1) : within;
                });
            }

            /// <summary>Symmetric matrices without a negative eigenvalue.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.positive_semidefinite</see>.
            /// </remarks>
            public class _PositiveSemiDefinite : _Symmetric
            {
                /// <inheritdoc/>
                /// <remarks>
                /// As in PyTorch, if one matrix of a batch is not symmetric, the others are checked for symmetry only.
                /// </remarks>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var within = base.check(value);
                    return within.all().item<bool>() ? (linalg.eigvalsh(value) >= 0).all(-1) : within;
                });
            }

            /// <summary>Symmetric matrices with positive eigenvalues.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.positive_definite</see>.
            /// </remarks>
            public class _PositiveDefinite : _Symmetric
            {
                /// <inheritdoc/>
                /// <remarks>
                /// As in PyTorch, if one matrix of a batch is not symmetric, the others are checked for symmetry only.
                /// </remarks>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var within = base.check(value);
                    return within.all().item<bool>() ? linalg.cholesky_ex(value).info == 0 : within;
                });
            }
        }
    }
}
