using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Members of Tensor that draw random numbers or fill it: methods that each call one operator (<see cref="AtenAttribute"/>), and methods
/// that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::bernoulli_.float", "self, p, generator")]
        public partial Tensor bernoulli_(double p = 0.5, Generator? generator = null);
        [Aten("aten::bernoulli_.Tensor", "self, p, generator")] public partial Tensor bernoulli_(Tensor p, Generator? generator = null);
        [Aten("aten::poisson", "self, generator")] public partial Tensor poisson(Generator? generator = null);
        [Aten("aten::binomial", "count=self, prob, generator")] public partial Tensor binomial(Tensor prob, Generator? generator = null);
        [Aten("aten::cauchy_", "self, median, sigma, generator")]
        public partial Tensor cauchy_(double median = 0, double sigma = 1, Generator? generator = null);
        [Aten("aten::exponential_", "self, lambd=lambda, generator")]
        public partial Tensor exponential_(double lambda = 1, Generator? generator = null);
        [Aten("aten::geometric_", "self, p, generator")] public partial Tensor geometric_(double p, Generator? generator = null);
        [Aten("aten::log_normal_", "self, mean, std, generator")]
        public partial Tensor log_normal_(double mean = 0, double std = 1, Generator? generator = null);
        [Aten("aten::random_.from", "self, from, to, generator")] private partial Tensor Drawn_(long from, long? to, Generator? generator);
        [Aten("aten::randint_like.low_dtype", "self, low, high, dtype, device")]
        private partial Tensor Randint(long low, long high, ScalarType? dtype, Device? device);
        [Aten("aten::randn.out", "size=sizes, out=self")] public partial Tensor randn_out(params long[] sizes);
        [Aten("aten::rand.out", "size=sizes, out=self")] public partial Tensor rand_out(params long[] sizes);
        [Aten("aten::randint.out", "high, size=sizes, out=self")] public partial Tensor randint_out(long high, long[] sizes);
        [Aten("aten::randperm.out", "n, out=self"), Obsolete("PyTorch's randperm is no method of a tensor; use torch.randperm.")]
        public partial Tensor randperm_out(long n);
        [Aten("aten::ones.out", "size=sizes, out=self")] public partial Tensor ones(params long[] sizes);
        [Aten("aten::zeros.out", "size=sizes, out=self")] public partial Tensor zeros(params long[] sizes);
        [Aten("aten::empty.out", "size=sizes, out=self")] public partial Tensor empty(params long[] sizes);
        [Aten("aten::full.out", "size=sizes, fill_value=value, out=self")] public partial Tensor full(long[] sizes, Scalar value);
        [Aten("aten::eye.m_out", "n=rows, m=columns, out=self")] public partial Tensor eye(long rows, long columns);
        [Aten("aten::arange.start_out", "start, end=stop, step, out=self")]
        public partial Tensor arange_out(Scalar start, Scalar stop, Scalar step);

        /// <summary>Fills the tensor with random integers in [from, to).</summary>
        public Tensor random_(double from, double to, Generator? generator = null) => Drawn_((long)from, (long)to, generator);

        public Tensor randint_like(long low, long high, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
            Randint(low, high, dtype, device).Marked(requires_grad);

        public Tensor full(ReadOnlySpan<long> sizes, Scalar value) => full(sizes.ToArray(), value);
    }
}
