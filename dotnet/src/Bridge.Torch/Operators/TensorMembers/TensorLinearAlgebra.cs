using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Linear algebra members of Tensor, <c>addcdiv</c> and <c>addcmul</c>: methods that each call one operator (<see cref="AtenAttribute"/>),
/// and methods that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::trace", "self")] public partial Tensor trace();
        [Aten("aten::det", "self")] public partial Tensor det();
        [Aten("aten::logdet", "self")] public partial Tensor logdet();
        [Aten("aten::inverse", "self")] public partial Tensor inverse();
        [Aten("aten::matrix_exp", "self")] public partial Tensor matrix_exp();
        [Aten("aten::matrix_power", "self, n")] public partial Tensor matrix_power(int n);
        [Aten("aten::linalg_pinv", "self, rcond, hermitian")] private partial Tensor Pinverse(double rcond, bool hermitian);
        [Aten("aten::cholesky", "self, upper"), Obsolete("Use torch.linalg.cholesky.")]
        public partial Tensor cholesky(bool upper = false);
        [Aten("aten::cholesky_inverse", "self, upper")] public partial Tensor cholesky_inverse(bool upper = false);
        [Aten("aten::cholesky_solve", "self, input2, upper")] public partial Tensor cholesky_solve(Tensor input2, bool upper = false);
        [Aten("aten::geqrf", "self")] public partial (Tensor a, Tensor tau) geqrf();
        [Aten("aten::ormqr", "self, input2=tau, input3=other, left, transpose")]
        public partial Tensor ormqr(Tensor tau, Tensor other, bool left = true, bool transpose = false);
        [Aten("aten::mv", "self, vec=target")] public partial Tensor mv(Tensor target);
        [Aten("aten::vdot", "self, other=target")] public partial Tensor vdot(Tensor target);
        [Aten("aten::inner", "self, other=vec2")] public partial Tensor inner(Tensor vec2);
        [Aten("aten::kron", "self, other")] public partial Tensor kron(Tensor other);
        [Aten("aten::tensordot", "self, other=b, dims_self=dims1, dims_other=dims2")]
        public partial Tensor tensordot(Tensor b, long[] dims1, long[] dims2);
        [Aten("aten::addmm", "self, mat1, mat2, beta, alpha")]
        private partial Tensor Addmm(Tensor mat1, Tensor mat2, Scalar beta, Scalar alpha);
        [Aten("aten::addmm_", "self, mat1, mat2, beta, alpha")]
        private partial Tensor Addmm_(Tensor mat1, Tensor mat2, Scalar beta, Scalar alpha);
        [Aten("aten::addmv", "self, mat, vec, beta, alpha")]
        private partial Tensor Addmv(Tensor mat, Tensor vec, Scalar beta, Scalar alpha);
        [Aten("aten::addmv_", "self, mat, vec, beta, alpha")]
        private partial Tensor Addmv_(Tensor mat, Tensor vec, Scalar beta, Scalar alpha);
        [Aten("aten::addr", "self, vec1, vec2, beta, alpha")]
        private partial Tensor Addr(Tensor vec1, Tensor vec2, Scalar beta, Scalar alpha);
        [Aten("aten::addr_", "self, vec1, vec2, beta, alpha")]
        private partial Tensor Addr_(Tensor vec1, Tensor vec2, Scalar beta, Scalar alpha);
        [Aten("aten::addbmm", "self, batch1, batch2, beta, alpha")]
        private partial Tensor Addbmm(Tensor batch1, Tensor batch2, Scalar beta, Scalar alpha);
        [Aten("aten::addbmm_", "self, batch1, batch2, beta, alpha")]
        private partial Tensor Addbmm_(Tensor batch1, Tensor batch2, Scalar beta, Scalar alpha);
        [Aten("aten::baddbmm", "self, batch1, batch2, beta, alpha")]
        private partial Tensor Baddbmm(Tensor batch1, Tensor batch2, Scalar beta, Scalar alpha);
        [Aten("aten::addcdiv", "self, tensor1, tensor2, value")]
        public partial Tensor addcdiv(Tensor tensor1, Tensor tensor2, Scalar value);
        [Aten("aten::addcdiv_", "self, tensor1, tensor2, value")]
        public partial Tensor addcdiv_(Tensor tensor1, Tensor tensor2, Scalar value);
        [Aten("aten::addcmul", "self, tensor1, tensor2, value")]
        public partial Tensor addcmul(Tensor tensor1, Tensor tensor2, Scalar value);
        [Aten("aten::addcmul_", "self, tensor1, tensor2, value")]
        public partial Tensor addcmul_(Tensor tensor1, Tensor tensor2, Scalar value);
        [Aten("aten::dist", "self, other, p")] private partial Tensor Dist(Tensor other, Scalar p);
        [Aten("aten::renorm", "self, p, dim, maxnorm")] private partial Tensor Renorm(Scalar p, long dim, Scalar maxnorm);

        public Tensor pinverse(double rcond = 1e-15, bool hermitian = false) => Pinverse(rcond, hermitian);

        public Tensor tensordot(Tensor b, (long, long)[] dims) =>
            tensordot(b, [.. dims.Select(pair => pair.Item1)], [.. dims.Select(pair => pair.Item2)]);

        /// <summary>Contracts the last dimensions of this tensor with the first of the other.</summary>
        public Tensor tensordot(Tensor b, long dims = 2)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(dims);
            var first = new long[dims];
            var second = new long[dims];
            for (var at = 0; at < dims; at++) (first[at], second[at]) = (at - dims, at);
            return tensordot(b, first, second);
        }

        public Tensor ger(Tensor vec2) => outer(vec2);

        public Tensor addmm(Tensor mat1, Tensor mat2, float beta = 1, float alpha = 1) => Addmm(mat1, mat2, beta, alpha);

        public Tensor addmm_(Tensor mat1, Tensor mat2, float beta = 1, float alpha = 1) => Addmm_(mat1, mat2, beta, alpha);

        public Tensor addmv(Tensor mat, Tensor vec, float beta = 1, float alpha = 1) => Addmv(mat, vec, beta, alpha);

        public Tensor addmv_(Tensor mat, Tensor vec, float beta = 1, float alpha = 1) => Addmv_(mat, vec, beta, alpha);

        public Tensor addr(Tensor vec1, Tensor vec2, float beta = 1, float alpha = 1) => Addr(vec1, vec2, beta, alpha);

        public Tensor addr_(Tensor vec1, Tensor vec2, float beta = 1, float alpha = 1) => Addr_(vec1, vec2, beta, alpha);

        public Tensor addbmm(Tensor batch1, Tensor batch2, float beta = 1, float alpha = 1) => Addbmm(batch1, batch2, beta, alpha);

        public Tensor addbmm_(Tensor batch1, Tensor batch2, float beta = 1, float alpha = 1) => Addbmm_(batch1, batch2, beta, alpha);

        public Tensor baddbmm(Tensor batch1, Tensor batch2, float beta = 1, float alpha = 1) => Baddbmm(batch1, batch2, beta, alpha);

        public Tensor addcdiv(Tensor tensor1, Tensor tensor2) => addcdiv(tensor1, tensor2, 1);

        public Tensor addcdiv_(Tensor tensor1, Tensor tensor2) => addcdiv_(tensor1, tensor2, 1);

        public Tensor dist(Tensor other, float p = 2) => Dist(other, p);

        public Tensor renorm(float p, long dim, float maxnorm) => Renorm(p, dim, maxnorm);
    }
}
