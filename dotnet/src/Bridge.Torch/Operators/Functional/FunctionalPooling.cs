using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Pooling: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call those. The default stride is
        /// the kernel size.
        /// </summary>
        public partial class functional
        {
            [Aten("aten::avg_pool1d", "self=input, kernel_size, stride, padding, ceil_mode, count_include_pad")]
            private static partial Tensor AvgPool1d(Tensor input, long[] kernel_size, long[] stride, long[] padding, bool ceil_mode,
                bool count_include_pad);
            [Aten("aten::avg_pool2d",
                "self=input, kernel_size, stride=stride ?? kernel_size, padding=padding ?? [0, 0], ceil_mode, count_include_pad, "
                + "divisor_override")]
            public static partial Tensor avg_pool2d(Tensor input, long[] kernel_size, long[]? stride = null, long[]? padding = null,
                bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null);
            [Aten("aten::avg_pool3d",
                "self=input, kernel_size, stride=stride ?? kernel_size, padding=padding ?? [0, 0, 0], ceil_mode, count_include_pad, "
                + "divisor_override")]
            public static partial Tensor avg_pool3d(Tensor input, long[] kernel_size, long[]? stride = null, long[]? padding = null,
                bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null);
            [Aten("aten::adaptive_avg_pool1d", "self=input, output_size=[output_size]")]
            public static partial Tensor adaptive_avg_pool1d(Tensor input, long output_size);
            [Aten("aten::adaptive_avg_pool2d", "self=input, output_size")]
            public static partial Tensor adaptive_avg_pool2d(Tensor input, long[] output_size);
            [Aten("aten::adaptive_avg_pool3d", "self=input, output_size")]
            public static partial Tensor adaptive_avg_pool3d(Tensor input, long[] output_size);
            [Aten("aten::adaptive_max_pool1d", "self=input, output_size=[output_size]")]
            public static partial (Tensor Values, Tensor Indices) adaptive_max_pool1d_with_indices(Tensor input, long output_size);
            [Aten("aten::adaptive_max_pool2d", "self=input, output_size")]
            public static partial (Tensor Values, Tensor Indices) adaptive_max_pool2d_with_indices(Tensor input, long[] output_size);
            [Aten("aten::adaptive_max_pool3d", "self=input, output_size")]
            public static partial (Tensor Values, Tensor Indices) adaptive_max_pool3d_with_indices(Tensor input, long[] output_size);
            [Aten("aten::max_pool1d_with_indices", "self=input, kernel_size, stride, padding, dilation, ceil_mode")]
            private static partial (Tensor, Tensor) MaxPool1dWithIndices(Tensor input, long[] kernel_size, long[] stride, long[] padding,
                long[] dilation, bool ceil_mode);
            [Aten("aten::max_pool2d_with_indices",
                "self=input, kernel_size, stride=strides ?? kernel_size, padding=padding ?? [0, 0], dilation=dilation ?? [1, 1], "
                + "ceil_mode")]
            public static partial (Tensor output, Tensor indices) max_pool2d_with_indices(Tensor input, long[] kernel_size,
                long[]? strides = null, long[]? padding = null, long[]? dilation = null, bool ceil_mode = false);
            [Aten("aten::max_pool3d",
                "self=input, kernel_size, stride=strides ?? kernel_size, padding=padding ?? [0, 0, 0], dilation=dilation ?? [1, 1, 1], "
                + "ceil_mode")]
            public static partial Tensor max_pool3d(Tensor input, long[] kernel_size, long[]? strides = null, long[]? padding = null,
                long[]? dilation = null, bool ceil_mode = false);
            [Aten("aten::max_pool3d_with_indices",
                "self=input, kernel_size, stride=strides ?? kernel_size, padding=padding ?? [0, 0, 0], dilation=dilation ?? [1, 1, 1], "
                + "ceil_mode")]
            public static partial (Tensor output, Tensor indices) max_pool3d_with_indices(Tensor input, long[] kernel_size,
                long[]? strides = null, long[]? padding = null, long[]? dilation = null, bool ceil_mode = false);

            public static Tensor avg_pool1d(Tensor input, long kernel_size, long? stride = null, long? padding = null,
                bool ceil_mode = false, bool count_include_pad = true) =>
                AvgPool1d(input, [kernel_size], [stride ?? kernel_size], [padding ?? 0], ceil_mode, count_include_pad);

            public static Tensor avg_pool2d(Tensor input, long kernel_size, long? stride = null, long padding = 0, bool ceil_mode = false,
                bool count_include_pad = true, long? divisor_override = null) =>
                avg_pool2d(input, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), ceil_mode, count_include_pad,
                    divisor_override);

            public static Tensor avg_pool2d(Tensor input, (long, long) kernel_size, (long, long)? stride = null,
                (long, long)? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                avg_pool2d(input, Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), ceil_mode, count_include_pad,
                    divisor_override);

            public static Tensor max_pool2d(Tensor input, long kernel_size, long? stride = null, long? padding = null,
                long? dilation = null, bool ceil_mode = false) =>
                max_pool2d(input, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), Sizes.Of(2, dilation), ceil_mode);

            public static Tensor max_pool2d(Tensor input, (long, long) kernel_size, (long, long)? stride = null,
                (long, long)? padding = null, (long, long)? dilation = null, bool ceil_mode = false) =>
                max_pool2d(input, Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), Sizes.Of(dilation), ceil_mode);

            public static (Tensor output, Tensor indices) max_pool1d_with_indices(Tensor input, long kernel_size, long? stride = null,
                long? padding = null, long? dilation = null, bool ceil_mode = false) =>
                MaxPool1dWithIndices(input, [kernel_size], [stride ?? kernel_size], [padding ?? 0], [dilation ?? 1], ceil_mode);

            public static Tensor adaptive_avg_pool3d(Tensor input, (long, long, long) output_size) =>
                adaptive_avg_pool3d(input, Sizes.Of(output_size));

            public static Tensor adaptive_avg_pool3d(Tensor input, long output_size) =>
                adaptive_avg_pool3d(input, Sizes.Of(3, output_size));

            public static Tensor adaptive_max_pool1d(Tensor input, long output_size) =>
                Values(adaptive_max_pool1d_with_indices(input, output_size));

            public static Tensor adaptive_max_pool2d(Tensor input, long[] output_size) =>
                Values(adaptive_max_pool2d_with_indices(input, output_size));

            public static Tensor adaptive_max_pool3d(Tensor input, long[] output_size) =>
                Values(adaptive_max_pool3d_with_indices(input, output_size));

            private static Tensor Values((Tensor Values, Tensor Indices) found)
            {
                found.Indices.Dispose();
                return found.Values;
            }
        }
    }
}
