using Bridge.Torch;

namespace TorchSharp;

/// <summary>The operator table, factories and functions of <c>torch</c>: a row each.</summary>
public static partial class torch
{
    [Aten("aten::empty.memory_format", "size, dtype, device", Sizes = true)] public static partial Tensor empty(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::zeros", "size, dtype, device", Sizes = true)] public static partial Tensor zeros(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::ones", "size, dtype, device", Sizes = true)] public static partial Tensor ones(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::rand", "size, dtype, device", Sizes = true)] public static partial Tensor rand(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::randn", "size, dtype, device", Sizes = true)] public static partial Tensor randn(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::full", "size, fill_value=value, dtype, device", Sizes = true)] public static partial Tensor full(long[] size, Scalar value, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::arange.start_step", "start, end=stop, step, dtype, device")] public static partial Tensor arange(Scalar start, Scalar stop, Scalar step, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::linspace", "start, end, steps, dtype, device")] private static partial Tensor Linspace(Scalar start, Scalar end, long steps, ScalarType? dtype, Device? device, bool requires_grad);
    [Aten("aten::eye.m", "n=rows, m=columns, dtype, device")] private static partial Tensor Eye(long rows, long columns, ScalarType? dtype, Device? device, bool requires_grad);
    [Aten("aten::randint.low", "low, high, size, dtype=dtype ?? ScalarType.Int64, device")] public static partial Tensor randint(long low, long high, long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::randperm", "n, dtype=dtype ?? ScalarType.Int64, device")] public static partial Tensor randperm(long n, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::polar", "abs, angle")] public static partial Tensor polar(Tensor abs, Tensor angle);

    [Aten("aten::cat", "tensors, dim")] public static partial Tensor cat(Tensor[] tensors, long dim = 0);
    [Aten("aten::stack", "tensors, dim")] public static partial Tensor stack(Tensor[] tensors, long dim = 0);
    [Aten("aten::einsum", "equation, tensors")] public static partial Tensor einsum(string equation, params Tensor[] tensors);
    [Aten("aten::where.self", "condition, self=x, other=y")] public static partial Tensor where(Tensor condition, Tensor x, Tensor y);
    [Aten("aten::where", "condition")] public static partial Tensor[] where(Tensor condition);
    [Aten("aten::meshgrid.indexing", "tensors, indexing")] private static partial Tensor[] Meshgrid(Tensor[] tensors, string indexing);
    [Aten("aten::searchsorted.Tensor", "sorted_sequence, self=values, out_int32, right, sorter")] public static partial Tensor searchsorted(Tensor sorted_sequence, Tensor values, bool out_int32 = false, bool right = false, Tensor? sorter = null);
    [Aten("aten::addmm", "self=input, mat1, mat2, beta, alpha")] private static partial Tensor Addmm(Tensor input, Tensor mat1, Tensor mat2, Scalar beta, Scalar alpha);
    [Aten("bridge::manual_seed", "seed")] private static partial void Seed(long seed);
    [Aten("bridge::device_count", "")] private static partial long DeviceCount();

    public static partial class nn
    {
        /// <summary>The operator table, functions of <c>torch.nn.functional</c>: a row each.</summary>
        public static partial class functional
        {
            [Aten("aten::linear", "input, weight=weights, bias")] public static partial Tensor linear(Tensor input, Tensor weights, Tensor? bias = null);
            [Aten("aten::relu", "self=input")] public static partial Tensor relu(Tensor input);
            [Aten("aten::prelu", "self=input, weight")] public static partial Tensor prelu(Tensor input, Tensor weight);
            [Aten("aten::softmax.int", "self=input, dim, dtype")] public static partial Tensor softmax(Tensor input, long dim, ScalarType? dtype = null);
            [Aten("aten::conv2d", "input, weight, bias, stride=strides ?? [1, 1], padding=padding ?? [0, 0], dilation=dilation ?? [1, 1], groups")]
            public static partial Tensor conv2d(Tensor input, Tensor weight, Tensor? bias = null, long[]? strides = null, long[]? padding = null, long[]? dilation = null, long groups = 1);
            [Aten("aten::conv2d.padding", "input, weight, bias, stride=strides ?? [1, 1], padding=padding == Padding.Same ? \"same\" : \"valid\", dilation=dilation ?? [1, 1], groups")]
            public static partial Tensor conv2d_padding(Tensor input, Tensor weight, Tensor? bias = null, long[]? strides = null, Padding padding = Padding.Valid, long[]? dilation = null, long groups = 1);
            [Aten("aten::pad", "self=input, pad, mode, value")] internal static partial Tensor Pad(Tensor input, long[] pad, string mode, double? value = null);
            [Aten("aten::max_pool2d", "self=input, kernel_size, stride=strides ?? kernel_size, padding=padding ?? [0, 0], dilation=dilation ?? [1, 1], ceil_mode")]
            public static partial Tensor max_pool2d(Tensor input, long[] kernel_size, long[]? strides = null, long[]? padding = null, long[]? dilation = null, bool ceil_mode = false);
            [Aten("aten::batch_norm", "input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=true")]
            public static partial Tensor batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight = null, Tensor? bias = null, bool training = false, double momentum = 0.1, double eps = 1e-5);
        }
    }
}
