using Bridge.Torch.Native;
namespace TorchSharp;

/// <summary>
/// Functions of <c>torch</c> that call the member of the same name on their first argument, factories, and others, such as those that
/// concatenate tensors and those of <c>cuda</c>.
/// </summary>
public static partial class torch
{
    public static Tensor abs(Tensor input) => input.abs();
    public static Tensor exp(Tensor input) => input.exp();
    public static Tensor expm1(Tensor input) => input.expm1();
    public static Tensor log(Tensor input) => input.log();
    public static Tensor log2(Tensor input) => input.log2();
    public static Tensor log10(Tensor input) => input.log10();
    public static Tensor log1p(Tensor input) => input.log1p();
    public static Tensor sqrt(Tensor input) => input.sqrt();
    public static Tensor rsqrt(Tensor input) => input.rsqrt();
    public static Tensor square(Tensor input) => input.square();
    public static Tensor sin(Tensor input) => input.sin();
    public static Tensor cos(Tensor input) => input.cos();
    public static Tensor tan(Tensor input) => input.tan();
    public static Tensor tanh(Tensor input) => input.tanh();
    public static Tensor sigmoid(Tensor input) => input.sigmoid();
    public static Tensor erf(Tensor input) => input.erf();
    public static Tensor neg(Tensor input) => input.neg();
    public static Tensor sign(Tensor input) => input.sign();
    public static Tensor floor(Tensor input) => input.floor();
    public static Tensor ceil(Tensor input) => input.ceil();
    public static Tensor reciprocal(Tensor input) => input.reciprocal();
    public static Tensor isnan(Tensor input) => input.isnan();
    public static Tensor isinf(Tensor tensor) => tensor.isinf();
    public static Tensor isfinite(Tensor tensor) => tensor.isfinite();
    public static Tensor logical_not(Tensor input) => input.logical_not();
    public static Tensor bitwise_not(Tensor input) => input.bitwise_not();
    public static Tensor nonzero(Tensor input) => input.nonzero();
    public static Tensor clone(Tensor input) => input.clone();
    public static Tensor t(Tensor input) => input.t();
    public static Tensor argmax(Tensor input) => input.argmax();
    public static Tensor argmin(Tensor input) => input.argmin();
    public static Tensor max(Tensor input) => input.max();
    public static Tensor min(Tensor input) => input.min();
    public static Tensor mean(Tensor input) => input.mean();
    public static Tensor sum(Tensor input) => input.sum();
    public static Tensor flatten(Tensor input) => input.flatten();
    public static Tensor all(Tensor input) => input.all();
    public static Tensor any(Tensor input) => input.any();
    public static Tensor view_as_real(Tensor input) => input.view_as_real();
    public static Tensor view_as_complex(Tensor input) => input.view_as_complex();
    public static Tensor pow(Tensor left, Tensor exponent) => left.pow(exponent);
    public static Tensor pow(Tensor left, Scalar exponent) => left.pow(exponent);
    public static Tensor mul(Tensor left, Tensor right) => left.mul(right);
    public static Tensor mul(Tensor left, Scalar right) => left.mul(right);
    public static Tensor div(Tensor left, Tensor right, RoundingMode rounding_mode = RoundingMode.None) =>
        rounding_mode == RoundingMode.None ? left.div(right) : left.div(right, rounding_mode);
    public static Tensor div(Tensor left, Scalar right, RoundingMode rounding_mode = RoundingMode.None) =>
        rounding_mode == RoundingMode.None ? left.div(right) : left.div(right, rounding_mode);
    public static Tensor add(Tensor left, Tensor right) => left.add(right);
    public static Tensor add(Tensor left, Tensor right, Scalar alpha) => left.add(right, alpha);
    public static Tensor add(Tensor left, Scalar right) => left.add(right);
    public static Tensor sub(Tensor left, Tensor right) => left.sub(right);
    public static Tensor sub(Tensor left, Scalar right) => left.sub(right);
    public static Tensor remainder(Tensor left, Tensor right) => left.remainder(right);
    public static Tensor remainder(Tensor left, Scalar right) => left.remainder(right);
    public static Tensor eq(Tensor left, Tensor right) => left.eq(right);
    public static Tensor ne(Tensor left, Tensor right) => left.ne(right);
    public static Tensor gt(Tensor left, Tensor right) => left.gt(right);
    public static Tensor greater(Tensor tensor, Tensor target) => tensor.gt(target);
    public static Tensor arctan(Tensor input) => atan(input);
    public static Tensor tensordot(Tensor a, Tensor b, long dims = 2) => tensordot(a, b, Last(a.dim(), dims), Last(dims, dims));
    public static Tensor tensordot(Tensor a, Tensor b, (long, long)[] dims) =>
        tensordot(a, b, [.. dims.Select(pair => pair.Item1)], [.. dims.Select(pair => pair.Item2)]);
    public static Tensor LongTensor(Tensor t) => t.to(ScalarType.Int64);
    public static Tensor IntTensor(Tensor t) => t.to(ScalarType.Int32);
    public static Tensor ShortTensor(Tensor t) => t.to(ScalarType.Int16);
    public static Tensor ByteTensor(Tensor t) => t.to(ScalarType.Byte);
    public static Tensor BoolTensor(Tensor t) => t.to(ScalarType.Bool);
    public static Tensor FloatTensor(Tensor t) => t.to(ScalarType.Float32);
    public static Tensor DoubleTensor(Tensor t) => t.to(ScalarType.Float64);
    public static Tensor ge(Tensor left, Tensor right) => left.ge(right);
    public static Tensor lt(Tensor left, Tensor right) => left.lt(right);
    public static Tensor le(Tensor left, Tensor right) => left.le(right);
    public static Tensor matmul(Tensor input, Tensor target) => input.matmul(target);
    public static Tensor mm(Tensor input, Tensor target) => input.mm(target);
    public static Tensor bmm(Tensor input, Tensor batch2) => input.bmm(batch2);
    public static Tensor dot(Tensor input, Tensor other) => input.dot(other);
    public static Tensor outer(Tensor input, Tensor vec2) => input.outer(vec2);
    public static Tensor maximum(Tensor input, Tensor other) => input.maximum(other);
    public static Tensor minimum(Tensor input, Tensor other) => input.minimum(other);
    public static Tensor logical_and(Tensor left, Tensor right) => left.logical_and(right);
    public static Tensor logical_or(Tensor left, Tensor right) => left.logical_or(right);
    public static Tensor bitwise_and(Tensor left, Tensor right) => left.bitwise_and(right);
    public static Tensor bitwise_or(Tensor left, Tensor right) => left.bitwise_or(right);
    public static Tensor max(Tensor input, Tensor other) => input.max(other);
    public static Tensor min(Tensor input, Tensor other) => input.min(other);
    public static Tensor atan2(Tensor input, Tensor other) => input.atan2(other);
    public static Tensor equal(Tensor tensor, Tensor target) => tensor.equal(target);
    public static bool allclose(Tensor tensor, Tensor target, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) =>
        tensor.allclose(target, rtol, atol, equal_nan);
    public static Tensor round(Tensor input, long decimals = 0) => input.round(decimals);
    public static Tensor clamp(Tensor input, Scalar? min = null, Scalar? max = null) => input.clamp(min, max);
    public static Tensor clamp(Tensor input, Tensor? min = null, Tensor? max = null) => input.clamp(min, max);
    public static Tensor lerp(Tensor input, Tensor end, Tensor weight) => input.lerp(end, weight);
    public static Tensor nan_to_num(Tensor input, double nan = 0d, double? posinf = null, double? neginf = null) =>
        input.nan_to_num(nan, posinf, neginf);
    public static Tensor softmax(Tensor input, int dim, ScalarType? dtype = null) => input.softmax(dim, dtype);
    public static Tensor log_softmax(Tensor input, long dim, ScalarType? dtype = null) => input.log_softmax(dim, dtype);
    public static Tensor sum(Tensor input, ReadOnlySpan<long> dim, bool keepdim = false, ScalarType? type = null) =>
        input.sum(dim.ToArray(), keepdim, type);
    public static Tensor sum(Tensor input, long dim, bool keepdim = false, ScalarType? type = null) => input.sum(dim, keepdim, type);
    public static Tensor mean(Tensor input, long[] dimensions, bool keepdim = false, ScalarType? type = null) =>
        input.mean(dimensions, keepdim, type);
    public static Tensor std(Tensor input, bool unbiased = true) => input.std(unbiased);
    public static Tensor std(Tensor input, long[] dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
        input.std(dimensions, unbiased, keepdim);
    public static Tensor std(Tensor input, long dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
        input.std((long[])[dimensions], unbiased, keepdim);
    public static Tensor std(Tensor input, (long, long) dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
        input.std((long[])[dimensions.Item1, dimensions.Item2], unbiased, keepdim);
    public static Tensor std(Tensor input, (long, long, long) dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.std((long[])[dimensions.Item1, dimensions.Item2, dimensions.Item3], unbiased, keepdim);
    public static Tensor var(Tensor input, bool unbiased = true) => input.var(unbiased);
    public static Tensor var(Tensor input, long[] dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
        input.var(dimensions, unbiased, keepdim);
    public static Tensor var(Tensor input, long dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
        input.var((long[])[dimensions], unbiased, keepdim);
    public static Tensor var(Tensor input, (long, long) dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
        input.var((long[])[dimensions.Item1, dimensions.Item2], unbiased, keepdim);
    public static Tensor var(Tensor input, (long, long, long) dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.var((long[])[dimensions.Item1, dimensions.Item2, dimensions.Item3], unbiased, keepdim);
    public static Tensor norm(Tensor input) => input.norm();
    public static Tensor norm(Tensor input, float p = 2) => input.norm(p);
    public static Tensor norm(Tensor input, int dimension, bool keepdim = false, float p = 2) => input.norm(dimension, keepdim, p);
    public static (Tensor values, Tensor indexes) max(Tensor input, long dim, bool keepdim = false) => input.max(dim, keepdim);
    public static (Tensor values, Tensor indexes) min(Tensor input, long dim, bool keepdim = false) => input.min(dim, keepdim);
    public static Tensor argmax(Tensor input, long dim, bool keepdim = false) => input.argmax(dim, keepdim);
    public static Tensor argmin(Tensor input, long dim, bool keepdim = false) => input.argmin(dim, keepdim);
    public static Tensor argsort(Tensor input, long dim = -1, bool descending = false) => input.argsort(dim, descending);
    public static (Tensor values, Tensor indices) sort(Tensor input, long dim = -1, bool descending = false, bool stable = false) =>
        input.sort(dim, descending, stable);
    public static (Tensor values, Tensor indices) topk(Tensor tensor, int k, int dim = -1, bool largest = true, bool sorted = true) =>
        tensor.topk(k, dim, largest, sorted);
    public static Tensor cumsum(Tensor input, long dim, ScalarType? type = null) => input.cumsum(dim, type);
    public static Tensor cumprod(Tensor input, long dim, ScalarType? dtype = null) => input.cumprod(dim, dtype);
    public static Tensor logsumexp(Tensor input, long dim, bool keepdim = false) => input.logsumexp(dim, keepdim);
    public static Tensor logcumsumexp(Tensor input, long dim) => input.logcumsumexp(dim);
    public static Tensor multinomial(Tensor input, long num_samples, bool replacement = false, Generator? generator = null) =>
        input.multinomial(num_samples, replacement, generator);
    public static Tensor bernoulli(Tensor input, Generator? generator = null) => input.bernoulli(generator);
    public static Tensor unsqueeze(Tensor input, long dim) => input.unsqueeze(dim);
    public static Tensor squeeze(Tensor input, long? dim = null) => dim is { } given ? input.squeeze(given) : input.squeeze();
    public static Tensor reshape(Tensor input, params long[] shape) => input.reshape(shape);
    public static Tensor flatten(Tensor input, long start_dim = 0, long end_dim = -1) => input.flatten(start_dim, end_dim);
    public static Tensor transpose(Tensor input, long dim0, long dim1) => input.transpose(dim0, dim1);
    public static Tensor permute(Tensor input, params long[] permutation) => input.permute(permutation);
    public static Tensor tril(Tensor input, long diagonal = 0) => input.tril(diagonal);
    public static Tensor triu(Tensor input, long diagonal = 0) => input.triu(diagonal);
    public static Tensor diag(Tensor input, long diagonal = 0) => input.diag(diagonal);
    public static Tensor flip(Tensor input, params long[] dims) => input.flip(dims);
    public static Tensor roll(Tensor input, long shifts, long? dims = null) => input.roll(shifts, dims);
    public static Tensor roll(Tensor input, long[] shifts, long[] dims) => input.roll(shifts, dims);
    public static Tensor roll(Tensor input, long[] shifts) => input.roll(shifts);
    public static Tensor roll(Tensor input, (long, long) shifts, (long, long) dims) =>
        input.roll((long[])[shifts.Item1, shifts.Item2], (long[])[dims.Item1, dims.Item2]);
    public static Tensor roll(Tensor input, (long, long, long) shifts, (long, long, long) dims) =>
        input.roll((long[])[shifts.Item1, shifts.Item2, shifts.Item3], (long[])[dims.Item1, dims.Item2, dims.Item3]);
    public static Tensor tile(Tensor input, long[] dims) => input.tile(dims);
    public static Tensor movedim(Tensor input, long[] source, long[] destination) => input.movedim(source, destination);
    public static Tensor repeat_interleave(Tensor input, long repeats, long? dim = null, long? output_size = null) =>
        input.repeat_interleave(repeats, dim, output_size);
    public static Tensor repeat_interleave(Tensor input, Tensor repeats, long? dim = null, long? output_size = null) =>
        input.repeat_interleave(repeats, dim, output_size);
    public static Tensor[] chunk(Tensor input, long chunks, long dim = 0) => input.chunk(chunks, dim);
    public static Tensor[] split(Tensor tensor, long[] split_size_or_sections, long dim = 0) => tensor.split(split_size_or_sections, dim);
    public static Tensor[] unbind(Tensor input, long dim = 0) => input.unbind(dim);
    public static Tensor[] unbind(Tensor tensor, int dim = 0) => tensor.unbind(dim);
    public static Tensor narrow(Tensor input, long dim, long start, long length) => input.narrow(dim, start, length);
    public static Tensor gather(Tensor input, long dim, Tensor index) => input.gather(dim, index);
    public static Tensor scatter(Tensor input, long dim, Tensor index, Tensor src) => input.scatter(dim, index, src);
    public static Tensor index_select(Tensor input, long dim, Tensor index) => input.index_select(dim, index);
    public static Tensor masked_select(Tensor input, Tensor mask) => input.masked_select(mask);
    public static Tensor masked_fill(Tensor input, Tensor mask, Scalar value) => input.masked_fill(mask, value);
    public static Tensor addmm(Tensor input, Tensor mat1, Tensor mat2, float beta, float alpha) =>
        Addmm(input, mat1, mat2, beta, alpha);
    public static Tensor baddbmm(Tensor input, Tensor batch1, Tensor batch2, float beta = 1, float alpha = 1) =>
        Baddbmm(input, batch1, batch2, beta, alpha);
    public static Tensor[] meshgrid(IEnumerable<Tensor> tensors, string indexing = "ij") => Meshgrid([.. tensors], indexing);
    public static Tensor cat(IList<Tensor> tensors, long dim = 0) => cat([.. tensors], dim);
    public static Tensor cat(ReadOnlySpan<Tensor> tensors, long dim = 0) => cat(tensors.ToArray(), dim);
    public static Tensor concat(IList<Tensor> tensors, long dim = 0) => cat([.. tensors], dim);
    public static Tensor concat(Tensor[] tensors, long dim = 0) => cat(tensors, dim);
    public static Tensor concat(ReadOnlySpan<Tensor> tensors, long dim = 0) => cat(tensors.ToArray(), dim);
    public static Tensor concatenate(IList<Tensor> tensors, long axis = 0) => cat([.. tensors], axis);
    public static Tensor concatenate(Tensor[] tensors, long axis = 0) => cat(tensors, axis);
    public static Tensor concatenate(ReadOnlySpan<Tensor> tensors, long axis = 0) => cat(tensors.ToArray(), axis);
    public static Tensor hstack(IList<Tensor> tensors) => hstack(tensors.ToArray());
    public static Tensor hstack(IEnumerable<Tensor> tensors) => hstack(tensors.ToArray());
    public static Tensor hstack(ReadOnlySpan<Tensor> tensors) => hstack(tensors.ToArray());
    public static Tensor vstack(IList<Tensor> tensors) => vstack(tensors.ToArray());
    public static Tensor vstack(ReadOnlySpan<Tensor> tensors) => vstack(tensors.ToArray());
    public static Tensor dstack(IList<Tensor> tensors) => dstack(tensors.ToArray());
    public static Tensor dstack(IEnumerable<Tensor> tensors) => dstack(tensors.ToArray());
    public static Tensor dstack(ReadOnlySpan<Tensor> tensors) => dstack(tensors.ToArray());
    public static Tensor row_stack(IList<Tensor> tensors) => vstack(tensors.ToArray());
    public static Tensor row_stack(params Tensor[] tensors) => vstack(tensors);
    public static Tensor row_stack(ReadOnlySpan<Tensor> tensors) => vstack(tensors.ToArray());
    public static Tensor column_stack(IList<Tensor> tensors) => column_stack(tensors.ToArray());
    public static Tensor column_stack(ReadOnlySpan<Tensor> tensors) => column_stack(tensors.ToArray());
    public static Tensor stack(IEnumerable<Tensor> tensors, long dim = 0) => stack([.. tensors], dim);
    public static Tensor zeros_like(Tensor input, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null)
    {
        Bridge.Torch.DimensionNames.Refuse(names);
        return input.zeros_like(dtype, device, requires_grad);
    }

    public static Tensor ones_like(Tensor input, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null)
    {
        Bridge.Torch.DimensionNames.Refuse(names);
        return input.ones_like(dtype, device, requires_grad);
    }

    public static Tensor empty_like(Tensor input, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null)
    {
        Bridge.Torch.DimensionNames.Refuse(names);
        return input.empty_like(dtype, device, requires_grad);
    }

    public static Tensor full_like(Tensor input, Scalar value, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null)
    {
        Bridge.Torch.DimensionNames.Refuse(names);
        return input.full_like(value, dtype, device, requires_grad);
    }

    public static Tensor rand_like(Tensor input, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        input.rand_like(dtype, device, requires_grad);
    public static Tensor randn_like(Tensor input, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        input.randn_like(dtype, device, requires_grad);
    /// <summary>
    /// Returns the range [start, stop). For a complex type, which libtorch refuses, converts a real range, as in TorchSharp.
    /// </summary>
    public static Tensor arange(Scalar start, Scalar stop, Scalar step, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false)
    {
        // For a range from 0 in steps of 1, runs the overload that PyTorch runs for arange(stop): a traced graph shows the overload.
        if (TorchFunctionMode.IsActive && RealDtype(dtype) is null && start is { IsReal: false, Integer: 0 }
            && step is { IsReal: false, Integer: 1 })
            return Arange(stop, DtypeOrDefault(dtype, start, stop, step), device, requires_grad);
        if (RealDtype(dtype) is not { } part) return Arange(start, stop, step, dtype, device, requires_grad);
        using var real = Arange(start, stop, step, part, device);
        return real.to_type(dtype!.Value).Marked(requires_grad);
    }

    /// <summary>
    /// Returns random integers in [low, high). For a complex type, which libtorch refuses, both parts are such integers, as in TorchSharp.
    /// </summary>
    public static Tensor randint(long low, long high, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null)
    {
        if (RealDtype(dtype) is not { } part) return Randint(low, high, size, dtype, device, requires_grad, generator, names);
        using var parts = Randint(low, high, [.. size, 2], part, device, generator: generator, names: names);
        using var joined = parts.view_as_complex();
        return joined.clone().Marked(requires_grad);
    }

    public static Tensor arange(Scalar stop, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        arange(0, stop, 1, dtype, device, requires_grad);
    public static Tensor arange(Scalar start, Scalar stop, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        arange(start, stop, 1, dtype, device, requires_grad);
    public static Tensor linspace(double start, double end, long steps, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        Linspace(start, end, steps, dtype, device, requires_grad);
    public static Tensor logspace(double start, double end, long steps, double @base = 10, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        Logspace(start, end, steps, @base, dtype, device, requires_grad);
    public static Tensor eye(long rows, long columns = -1, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Eye(rows, columns < 0 ? rows : columns, dtype, device, requires_grad, names);
    public static Tensor randint(long high, long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, size, dtype, device, requires_grad, generator, names);
    public static Tensor randint(long low, long high, Size size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null) =>
        randint(low, high, size.Shape, dtype, device, requires_grad, generator, names);
    public static Tensor randint(long high, Size size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, size.Shape, dtype, device, requires_grad, generator, names);
    public static Tensor randint(int low, int high, int[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(low, high, new Size(size), dtype, device, requires_grad, generator, names);
    public static Tensor randint(int high, int[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, new Size(size), dtype, device, requires_grad, generator, names);
    public static Tensor normal(double mean, double std, ReadOnlySpan<long> size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null) =>
        Normal(mean, std, size.ToArray(), dtype, device, requires_grad, generator, names);
    public static Tensor stft(Tensor input, long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null,
        bool center = true, PaddingModes pad_mode = PaddingModes.Reflect, bool normalized = false, bool? onesided = null,
        bool? return_complex = null) =>
        Stft(input, n_fft, NullIfNegative(hop_length), NullIfNegative(win_length), window, center, pad_mode == PaddingModes.Zeros
            ? "constant" : pad_mode.ToString().ToLowerInvariant(), normalized, onesided, return_complex ?? is_complex(input.dtype));
    public static Tensor istft(Tensor input, long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null,
        bool center = true, bool normalized = false, bool? onesided = null, long length = -1, bool return_complex = false) =>
        Istft(input, n_fft, NullIfNegative(hop_length), NullIfNegative(win_length), window, center, normalized, onesided,
            NullIfNegative(length), return_complex);

    public static bool cuda_is_available() => cuda.is_available();

    public static Device device(string description) => new(description);

    public static Device device(DeviceType deviceType, int index = -1) => new(deviceType, index);

    public static Device device(string deviceType, int index = -1) => new(deviceType, index);

    public static Device device(int index) => new(index);

    /// <summary>Returns the indices of the last <paramref name="count"/> dimensions.</summary>
    private static long[] Last(long of, long count) => [.. Enumerable.Range(0, (int)count).Select(at => of - count + at)];

    private static long? NullIfNegative(long value) => value < 0 ? null : value;

    public static partial class cuda
    {
        public static bool is_available() => DeviceCount() > 0;

        public static bool is_cudnn_available() => CudnnIsAvailable();

        public static int device_count() => (int)DeviceCount();

        /// <summary>Waits until the device has finished its work.</summary>
        public static void synchronize(Device? device = null) => Synchronize(device);

        public static void manual_seed(long seed) => Seed(seed);

        public static void manual_seed_all(long seed) => Seed(seed);
    }
}
