using Bridge.Torch;

namespace TorchSharp;

/// <summary>The operator table, factories and functions of <c>torch</c>: a row each.</summary>
public static partial class torch
{
    [Aten("aten::empty.memory_format", "size, dtype, device")] public static partial Tensor empty(long[] size, ScalarType? dtype = null, Device? device = null);
    [Aten("aten::zeros", "size, dtype, device")] public static partial Tensor zeros(long[] size, ScalarType? dtype = null, Device? device = null);
    [Aten("aten::ones", "size, dtype, device")] public static partial Tensor ones(long[] size, ScalarType? dtype = null, Device? device = null);
    [Aten("aten::rand", "size, dtype, device")] public static partial Tensor rand(long[] size, ScalarType? dtype = null, Device? device = null);
    [Aten("aten::randn", "size, dtype, device")] public static partial Tensor randn(long[] size, ScalarType? dtype = null, Device? device = null);

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
            [Aten("aten::pad", "self=input, pad, mode")] internal static partial Tensor Pad(Tensor input, long[] pad, string mode);
            [Aten("aten::max_pool2d", "self=input, kernel_size, stride=strides ?? kernel_size, padding=padding ?? [0, 0], dilation=dilation ?? [1, 1], ceil_mode")]
            public static partial Tensor max_pool2d(Tensor input, long[] kernel_size, long[]? strides = null, long[]? padding = null, long[]? dilation = null, bool ceil_mode = false);
            [Aten("aten::batch_norm", "input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=true")]
            public static partial Tensor batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight = null, Tensor? bias = null, bool training = false, double momentum = 0.1, double eps = 1e-5);
        }
    }
}
