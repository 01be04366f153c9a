using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>Operators that modules run on and that no function of TorchSharp's in this library names yet; a row each.</summary>
/// <remarks>The tests of the modules compare their results and gradients with PyTorch's.</remarks>
internal static partial class Kernels
{
    [Aten("aten::elu", "self, alpha")] internal static partial Tensor Elu(Tensor self, Scalar alpha);
    [Aten("aten::elu_", "self, alpha")] internal static partial Tensor EluInPlace(Tensor self, Scalar alpha);
    [Aten("aten::glu", "self, dim")] internal static partial Tensor Glu(Tensor self, long dim);
    [Aten("aten::hardshrink", "self, lambd")] internal static partial Tensor Hardshrink(Tensor self, Scalar lambd);
    [Aten("aten::softshrink", "self, lambd")] internal static partial Tensor Softshrink(Tensor self, Scalar lambd);
    [Aten("aten::hardsigmoid", "self")] internal static partial Tensor Hardsigmoid(Tensor self);
    [Aten("aten::hardsigmoid_", "self")] internal static partial Tensor HardsigmoidInPlace(Tensor self);
    [Aten("aten::hardswish", "self")] internal static partial Tensor Hardswish(Tensor self);
    [Aten("aten::hardswish_", "self")] internal static partial Tensor HardswishInPlace(Tensor self);
    [Aten("aten::hardtanh", "self, min_val, max_val")] internal static partial Tensor Hardtanh(Tensor self, Scalar min_val, Scalar max_val);
    [Aten("aten::hardtanh_", "self, min_val, max_val")] internal static partial Tensor HardtanhInPlace(Tensor self, Scalar min_val, Scalar max_val);
    [Aten("aten::log_sigmoid", "self")] internal static partial Tensor LogSigmoid(Tensor self);
    [Aten("aten::mish", "self")] internal static partial Tensor Mish(Tensor self);
    [Aten("aten::mish_", "self")] internal static partial Tensor MishInPlace(Tensor self);
    [Aten("aten::rrelu", "self, lower, upper, training")] internal static partial Tensor RRelu(Tensor self, Scalar lower, Scalar upper, bool training);
    [Aten("aten::rrelu_", "self, lower, upper, training")] internal static partial Tensor RReluInPlace(Tensor self, Scalar lower, Scalar upper, bool training);
    [Aten("aten::selu", "self")] internal static partial Tensor Selu(Tensor self);
    [Aten("aten::selu_", "self")] internal static partial Tensor SeluInPlace(Tensor self);
    [Aten("aten::softplus", "self, beta, threshold")] internal static partial Tensor Softplus(Tensor self, Scalar beta, Scalar threshold);
    [Aten("aten::threshold", "self, threshold, value")] internal static partial Tensor Threshold(Tensor self, Scalar threshold, Scalar value);
    [Aten("aten::threshold_", "self, threshold, value")] internal static partial Tensor ThresholdInPlace(Tensor self, Scalar threshold, Scalar value);

    [Aten("aten::feature_dropout", "input, p, train")] internal static partial Tensor FeatureDropout(Tensor input, double p, bool train);
    [Aten("aten::feature_dropout_", "self=input, p, train")] internal static partial Tensor FeatureDropoutInPlace(Tensor input, double p, bool train);
    [Aten("aten::alpha_dropout", "input, p, train")] internal static partial Tensor AlphaDropout(Tensor input, double p, bool train);
    [Aten("aten::alpha_dropout_", "self=input, p, train")] internal static partial Tensor AlphaDropoutInPlace(Tensor input, double p, bool train);
    [Aten("aten::feature_alpha_dropout", "input, p, train")] internal static partial Tensor FeatureAlphaDropout(Tensor input, double p, bool train);
    [Aten("aten::feature_alpha_dropout_", "self=input, p, train")] internal static partial Tensor FeatureAlphaDropoutInPlace(Tensor input, double p, bool train);

    [Aten("aten::bilinear", "input1, input2, weight, bias")] internal static partial Tensor Bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias);
    [Aten("aten::cosine_similarity", "x1, x2, dim, eps")] internal static partial Tensor CosineSimilarity(Tensor x1, Tensor x2, long dim, double eps);
    [Aten("aten::pairwise_distance", "x1, x2, p, eps, keepdim")] internal static partial Tensor PairwiseDistance(Tensor x1, Tensor x2, double p, double eps, bool keepdim);
    [Aten("aten::col2im", "self, output_size, kernel_size, dilation, padding, stride")] internal static partial Tensor Fold(Tensor self, long[] output_size, long[] kernel_size, long[] dilation, long[] padding, long[] stride);
    [Aten("aten::im2col", "self, kernel_size, dilation, padding, stride")] internal static partial Tensor Unfold(Tensor self, long[] kernel_size, long[] dilation, long[] padding, long[] stride);
    [Aten("aten::pixel_shuffle", "self, upscale_factor")] internal static partial Tensor PixelShuffle(Tensor self, long upscale_factor);
    [Aten("aten::pixel_unshuffle", "self, downscale_factor")] internal static partial Tensor PixelUnshuffle(Tensor self, long downscale_factor);
    [Aten("aten::channel_shuffle", "self, groups")] internal static partial Tensor ChannelShuffle(Tensor self, long groups);
    [Aten("aten::instance_norm", "input, weight, bias, running_mean=mean, running_var=variance, use_input_stats=by_input, momentum, eps, cudnn_enabled=true")]
    internal static partial Tensor InstanceNorm(Tensor input, Tensor? weight, Tensor? bias, Tensor? mean, Tensor? variance, bool by_input, double momentum, double eps);
    [Aten("aten::conv_transpose1d", "input, weight, bias, stride, padding, output_padding, groups, dilation")]
    internal static partial Tensor ConvTranspose1d(Tensor input, Tensor weight, Tensor? bias, long[] stride, long[] padding, long[] output_padding, long groups, long[] dilation);
    [Aten("aten::conv_transpose3d.input", "input, weight, bias, stride, padding, output_padding, groups, dilation")]
    internal static partial Tensor ConvTranspose3d(Tensor input, Tensor weight, Tensor? bias, long[] stride, long[] padding, long[] output_padding, long groups, long[] dilation);

    [Aten("aten::adaptive_avg_pool1d", "self, output_size")] internal static partial Tensor AdaptiveAvgPool1d(Tensor self, long[] output_size);
    [Aten("aten::adaptive_avg_pool3d", "self, output_size")] internal static partial Tensor AdaptiveAvgPool3d(Tensor self, long[] output_size);
    [Aten("aten::adaptive_max_pool1d", "self, output_size")] internal static partial (Tensor, Tensor) AdaptiveMaxPool1d(Tensor self, long[] output_size);
    [Aten("aten::adaptive_max_pool2d", "self, output_size")] internal static partial (Tensor, Tensor) AdaptiveMaxPool2d(Tensor self, long[] output_size);
    [Aten("aten::adaptive_max_pool3d", "self, output_size")] internal static partial (Tensor, Tensor) AdaptiveMaxPool3d(Tensor self, long[] output_size);
    [Aten("aten::avg_pool1d", "self, kernel_size, stride, padding, ceil_mode, count_include_pad")]
    internal static partial Tensor AvgPool1d(Tensor self, long[] kernel_size, long[] stride, long[] padding, bool ceil_mode, bool count_include_pad);
    [Aten("aten::avg_pool3d", "self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override")]
    internal static partial Tensor AvgPool3d(Tensor self, long[] kernel_size, long[] stride, long[] padding, bool ceil_mode, bool count_include_pad, long? divisor_override);
    [Aten("aten::max_pool3d", "self, kernel_size, stride, padding, dilation, ceil_mode")]
    internal static partial Tensor MaxPool3d(Tensor self, long[] kernel_size, long[] stride, long[] padding, long[] dilation, bool ceil_mode);
    [Aten("aten::max_pool1d_with_indices", "self, kernel_size, stride, padding, dilation, ceil_mode")]
    internal static partial (Tensor, Tensor) MaxPool1dWithIndices(Tensor self, long[] kernel_size, long[] stride, long[] padding, long[] dilation, bool ceil_mode);
    [Aten("aten::max_pool2d_with_indices", "self, kernel_size, stride, padding, dilation, ceil_mode")]
    internal static partial (Tensor, Tensor) MaxPool2dWithIndices(Tensor self, long[] kernel_size, long[] stride, long[] padding, long[] dilation, bool ceil_mode);
    [Aten("aten::max_pool3d_with_indices", "self, kernel_size, stride, padding, dilation, ceil_mode")]
    internal static partial (Tensor, Tensor) MaxPool3dWithIndices(Tensor self, long[] kernel_size, long[] stride, long[] padding, long[] dilation, bool ceil_mode);
    [Aten("aten::max_unpool2d", "self, indices, output_size")] internal static partial Tensor MaxUnpool2d(Tensor self, Tensor indices, long[] output_size);
    [Aten("aten::max_unpool3d", "self, indices, output_size, stride, padding")] internal static partial Tensor MaxUnpool3d(Tensor self, Tensor indices, long[] output_size, long[] stride, long[] padding);

    [Aten("aten::binary_cross_entropy", "self, target, weight, reduction")] internal static partial Tensor BinaryCrossEntropy(Tensor self, Tensor target, Tensor? weight, long reduction);
    [Aten("aten::cosine_embedding_loss", "input1, input2, target, margin, reduction")] internal static partial Tensor CosineEmbeddingLoss(Tensor input1, Tensor input2, Tensor target, double margin, long reduction);
    [Aten("aten::ctc_loss.Tensor", "log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity")]
    internal static partial Tensor CtcLoss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, long blank, long reduction, bool zero_infinity);
    [Aten("aten::hinge_embedding_loss", "self, target, margin, reduction")] internal static partial Tensor HingeEmbeddingLoss(Tensor self, Tensor target, double margin, long reduction);
    [Aten("aten::huber_loss", "self, target, reduction, delta")] internal static partial Tensor HuberLoss(Tensor self, Tensor target, long reduction, double delta);
    [Aten("aten::margin_ranking_loss", "input1, input2, target, margin, reduction")] internal static partial Tensor MarginRankingLoss(Tensor input1, Tensor input2, Tensor target, double margin, long reduction);
    [Aten("aten::multilabel_margin_loss", "self, target, reduction")] internal static partial Tensor MultiLabelMarginLoss(Tensor self, Tensor target, long reduction);
    [Aten("aten::multi_margin_loss", "self, target, p, margin, weight, reduction")] internal static partial Tensor MultiMarginLoss(Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight, long reduction);
    [Aten("aten::poisson_nll_loss", "input, target, log_input, full, eps, reduction")] internal static partial Tensor PoissonNllLoss(Tensor input, Tensor target, bool log_input, bool full, double eps, long reduction);
    [Aten("aten::kl_div", "self, target, reduction, log_target")] internal static partial Tensor KlDiv(Tensor self, Tensor target, long reduction, bool log_target);
    [Aten("aten::soft_margin_loss", "self, target, reduction")] internal static partial Tensor SoftMarginLoss(Tensor self, Tensor target, long reduction);
    [Aten("aten::smooth_l1_loss", "self, target, reduction, beta")] internal static partial Tensor SmoothL1Loss(Tensor self, Tensor target, long reduction, double beta);
    [Aten("aten::triplet_margin_loss", "anchor, positive, negative, margin, p, eps, swap, reduction")]
    internal static partial Tensor TripletMarginLoss(Tensor anchor, Tensor positive, Tensor negative, double margin, double p, double eps, bool swap, long reduction);

    [Aten("aten::lstm.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor, Tensor) Lstm(Tensor input, Tensor[] hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::lstm.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor, Tensor) Lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::gru.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor) Gru(Tensor input, Tensor hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::gru.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor) Gru(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::rnn_tanh.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor) RnnTanh(Tensor input, Tensor hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::rnn_tanh.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor) RnnTanh(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::rnn_relu.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor) RnnRelu(Tensor input, Tensor hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::rnn_relu.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor) RnnRelu(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] weights, bool has_biases, long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::lstm_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")] internal static partial (Tensor, Tensor) LstmCell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::gru_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")] internal static partial Tensor GruCell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::rnn_tanh_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")] internal static partial Tensor TanhCell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::rnn_relu_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")] internal static partial Tensor ReluCell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::_pack_padded_sequence", "input, lengths, batch_first")] internal static partial (Tensor, Tensor) PackPadded(Tensor input, Tensor lengths, bool batch_first);
    [Aten("aten::_pad_packed_sequence", "data, batch_sizes, batch_first, padding_value, total_length")]
    internal static partial (Tensor, Tensor) PadPacked(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, long total_length);
    [Aten("aten::pad_sequence", "sequences, batch_first, padding_value")] internal static partial Tensor PadSequence(Tensor[] sequences, bool batch_first, double padding_value);

    [Aten("aten::embedding_bag.padding_idx", "weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx")]
    internal static partial (Tensor, Tensor, Tensor, Tensor) EmbeddingBag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, long mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, long? padding_idx);
    [Aten("aten::baddbmm", "self, batch1, batch2")] internal static partial Tensor Baddbmm(Tensor self, Tensor batch1, Tensor batch2);

    /// <summary>Two objects for one tensor, as two names in Python may be for one.</summary>
    internal static unsafe bool IsSame(Tensor one, Tensor other)
    {
        if (ReferenceEquals(one, other)) return true;
        using var a = one.Lease();
        using var b = other.Lease();
        // A handle is the address of an at::Tensor, whose only member is the TensorImpl's address.
        return *(IntPtr*)a.Handle == *(IntPtr*)b.Handle;
    }
}
