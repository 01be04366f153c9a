using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>
    /// Linear algebra of matrices and batches of matrices: methods that each call one operator (<see cref="AtenAttribute"/>), and methods
    /// that call those.
    /// </summary>
    public static partial class linalg
    {
        [Aten("aten::linalg_cholesky", "self=input")] public static partial Tensor cholesky(Tensor input);
        [Aten("aten::linalg_cholesky_ex", "self=input, check_errors")]
        public static partial (Tensor L, Tensor info) cholesky_ex(Tensor input, bool check_errors = false);
        [Aten("aten::linalg_cond.p_str", "self=input, p")] public static partial Tensor cond(Tensor input, string p);
        [Aten("aten::linalg_cross", "self=input, other, dim")]
        public static partial Tensor cross(Tensor input, Tensor other, long dim = -1);
        [Aten("aten::linalg_det", "A=input")] public static partial Tensor det(Tensor input);
        [Aten("aten::linalg_slogdet", "A=input")] public static partial (Tensor, Tensor) slogdet(Tensor input);
        [Aten("aten::linalg_diagonal", "A=input, offset, dim1, dim2")]
        public static partial Tensor diagonal(Tensor input, int offset = 0, int dim1 = -2, int dim2 = -1);
        [Aten("aten::linalg_eig", "self=input")] public static partial (Tensor, Tensor) eig(Tensor input);
        [Aten("aten::linalg_eigvals", "self=input")] public static partial Tensor eigvals(Tensor input);
        [Aten("aten::linalg_householder_product", "input=A, tau")] public static partial Tensor householder_product(Tensor A, Tensor tau);
        [Aten("aten::linalg_inv", "A=input")] public static partial Tensor inv(Tensor input);
        [Aten("aten::linalg_inv_ex", "A=input, check_errors")]
        public static partial (Tensor L, Tensor info) inv_ex(Tensor input, bool check_errors = false);
        [Aten("aten::linalg_lu", "A=input, pivot")]
        public static partial (Tensor P, Tensor L, Tensor U) lu(Tensor input, bool pivot = true);
        [Aten("aten::linalg_lu_factor", "A=input, pivot")]
        public static partial (Tensor LU, Tensor? Pivots) lu_factor(Tensor input, bool pivot = true);
        [Aten("aten::linalg_ldl_factor", "self=input, hermitian")]
        public static partial (Tensor LU, Tensor? Pivots) ldl_factor(Tensor input, bool hermitian = true);
        [Aten("aten::linalg_ldl_factor_ex", "self=input, hermitian, check_errors")]
        public static partial (Tensor LU, Tensor? Pivots, Tensor? Info) ldl_factor_ex(Tensor input, bool hermitian = true,
            bool check_errors = false);
        [Aten("aten::linalg_ldl_solve", "LD, pivots, B, hermitian")]
        public static partial Tensor ldl_solve(Tensor LD, Tensor pivots, Tensor B, bool hermitian = false);
        [Aten("aten::linalg_matrix_exp", "self=input")] public static partial Tensor matrix_exp(Tensor input);
        [Aten("aten::linalg_matrix_norm.str_ord", "self=input, ord, dim=dims ?? [-2, -1], keepdim")]
        public static partial Tensor matrix_norm(Tensor input, string ord = "fro", long[]? dims = null, bool keepdim = false);
        [Aten("aten::linalg_matrix_rank.atol_rtol_float", "self=input, atol, rtol, hermitian")]
        public static partial Tensor matrix_rank(Tensor input, double? atol = null, double? rtol = null, bool hermitian = false);
        [Aten("aten::linalg_matrix_rank.atol_rtol_tensor", "input, atol, rtol, hermitian")]
        public static partial Tensor matrix_rank(Tensor input, Tensor atol, Tensor? rtol = null, bool hermitian = false);
        [Aten("aten::linalg_norm.ord_str", "self=input, ord, dim=dims, keepdim")]
        public static partial Tensor norm(Tensor input, string ord, long[]? dims = null, bool keepdim = false);
        [Aten("aten::linalg_pinv.atol_rtol_float", "self=input, atol, rtol, hermitian")]
        public static partial Tensor pinv(Tensor input, double? atol = null, double? rtol = null, bool hermitian = false);
        [Aten("aten::linalg_pinv.atol_rtol_tensor", "self=input, atol, rtol, hermitian")]
        public static partial Tensor pinv(Tensor input, Tensor atol, Tensor? rtol = null, bool hermitian = false);
        [Aten("aten::linalg_solve", "A, B, left")] public static partial Tensor solve(Tensor A, Tensor B, bool left = true);
        [Aten("aten::linalg_solve_ex", "A, B, left, check_errors")]
        public static partial (Tensor result, Tensor info) solve_ex(Tensor A, Tensor B, bool left = true, bool check_errors = false);
        [Aten("aten::linalg_solve_triangular", "self=A, B, upper, left, unitriangular")]
        public static partial Tensor solve_triangular(Tensor A, Tensor B, bool upper, bool left = true, bool unitriangular = false,
            Tensor? @out = null);
        [Aten("aten::linalg_svd", "A=input, full_matrices=fullMatrices")]
        public static partial (Tensor U, Tensor S, Tensor Vh) svd(Tensor input, bool fullMatrices = true);
        [Aten("aten::linalg_svdvals", "A=input")] public static partial Tensor svdvals(Tensor input);
        [Aten("aten::linalg_tensorinv", "self=input, ind")] public static partial Tensor tensorinv(Tensor input, long ind);
        [Aten("aten::linalg_tensorsolve", "self=A, other=B, dims")]
        public static partial Tensor tensorsolve(Tensor A, Tensor B, long[] dims);
        [Aten("aten::linalg_vander", "x=input, N")] public static partial Tensor vander(Tensor input, long? N = null);
        [Aten("aten::linalg_vecdot", "x, y, dim")]
        public static partial Tensor vecdot(Tensor x, Tensor y, long dim = -1, Tensor? @out = null);
        [Aten("aten::linalg_lu_solve", "LU, pivots, B, left, adjoint")]
        public static partial Tensor lu_solve(Tensor LU, Tensor pivots, Tensor B, bool left = true, bool adjoint = false,
            Tensor? @out = null);
        [Aten("aten::linalg_cond", "self=input, p")] private static partial Tensor Condition(Tensor input, Scalar? p);
        [Aten("aten::linalg_eigh", "self=input, UPLO=UPLO.ToString()")]
        public static partial (Tensor, Tensor) eigh(Tensor input, char UPLO = 'L');
        [Aten("aten::linalg_eigvalsh", "self=input, UPLO=UPLO.ToString()")]
        public static partial Tensor eigvalsh(Tensor input, char UPLO = 'L');
        [Aten("aten::linalg_matrix_norm", "self=input, ord, dim, keepdim")]
        private static partial Tensor MatrixNorm(Tensor input, Scalar ord, long[] dim, bool keepdim);
        [Aten("aten::linalg_multi_dot", "tensors=tensors.ToArray()")] public static partial Tensor multi_dot(IList<Tensor> tensors);
        [Aten("aten::linalg_norm", "self=input, ord, dim, keepdim")]
        private static partial Tensor NormOf(Tensor input, Scalar? ord, long[]? dim, bool keepdim);
        [Aten("aten::linalg_qr", "A=input, mode=mode == QRMode.R ? \"r\" : mode == QRMode.Complete ? \"complete\" : \"reduced\"")]
        public static partial (Tensor Q, Tensor R) qr(Tensor input, QRMode mode = QRMode.Reduced);
        [Aten("aten::linalg_vector_norm", "self=input, ord, dim, keepdim")]
        private static partial Tensor VectorNorm(Tensor input, Scalar ord, long[]? dim, bool keepdim);

        /// <summary>Which parts of a QR decomposition are computed.</summary>
        public enum QRMode
        {
            Reduced = 0,
            Complete = 1,
            R = 2,
        }

        public static Tensor cond(Tensor input) => Condition(input, null);
        public static Tensor cond(Tensor input, int p) => Condition(input, p);
        public static Tensor cond(Tensor input, double p) => Condition(input, p);
        public static Tensor matrix_norm(Tensor input, double ord, long[]? dims = null, bool keepdim = false) =>
            MatrixNorm(input, ord, dims ?? [-2, -1], keepdim);
        public static Tensor norm(Tensor input, double ord, long[]? dims = null, bool keepdim = false) => NormOf(input, ord, dims, keepdim);
        public static Tensor norm(Tensor input, int ord, long[]? dims = null, bool keepdim = false) => NormOf(input, ord, dims, keepdim);
        public static Tensor vector_norm(Tensor input, double ord = 2, long[]? dims = null, bool keepdim = false) =>
            VectorNorm(input, ord, dims, keepdim);
    }
}
