#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>Matrices with zeros above the diagonal.</summary>
            public class _LowerTriangular : Constraint
            {
                public _LowerTriangular() : base(false, 2) { }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value.tril() == value).flatten(-2, -1).all(-1));
            }

            /// <summary>Lower triangular matrices with a positive diagonal.</summary>
            public class _LowerCholesky : Constraint
            {
                public _LowerCholesky() : base(false, 2) { }

                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                    lower_triangular.check(value).logical_and((value.diagonal(0, -2, -1) > 0).all(-1)));
            }

            /// <summary>Lower triangular matrices with a positive diagonal and rows of Euclidean norm 1.</summary>
            public class _CorrCholesky : Constraint
            {
                public _CorrCholesky() : base(false, 2) { }

                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var tolerance = finfo(value.dtype).eps * value.shape[^1] * 10;
                    var unit = ((value.detach().pow(2).sum(-1).sqrt() - 1).abs() <= tolerance).all(-1);
                    return lower_cholesky.check(value).logical_and(unit);
                });
            }

            /// <summary>Square matrices.</summary>
            public class _Square : Constraint
            {
                public _Square() : base(false, 2) { }

                public override Tensor check(Tensor value) =>
                    full(value.shape[..^2], value.shape[^2] == value.shape[^1], ScalarType.Bool, value.device);
            }

            /// <summary>Symmetric matrices.</summary>
            public class _Symmetric : _Square
            {
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var within = base.check(value);
                    return within.all().item<bool>() ? value.isclose(value.transpose(-2, -1), atol: 1e-6).all(-2).all(-1) : within;
                });
            }

            /// <summary>Symmetric matrices without a negative eigenvalue.</summary>
            public class _PositiveSemiDefinite : _Symmetric
            {
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var within = base.check(value);
                    return within.all().item<bool>() ? (linalg.eigvalsh(value) >= 0).all(-1) : within;
                });
            }

            /// <summary>Symmetric matrices with positive eigenvalues.</summary>
            public class _PositiveDefinite : _Symmetric
            {
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var within = base.check(value);
                    return within.all().item<bool>() ? linalg.cholesky_ex(value).info == 0 : within;
                });
            }
        }
    }
}
