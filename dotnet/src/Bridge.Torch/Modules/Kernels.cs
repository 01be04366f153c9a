using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>Methods for built-in modules and their functions, most of which call one operator (<see cref="AtenAttribute"/>).</summary>
internal static partial class Kernels
{
    [Aten("aten::rrelu", "self, lower, upper, training")]
    internal static partial Tensor RRelu(Tensor self, Scalar lower, Scalar upper, bool training);
    [Aten("aten::rrelu_", "self, lower, upper, training")]
    internal static partial Tensor RReluInPlace(Tensor self, Scalar lower, Scalar upper, bool training);

    [Aten("aten::max_unpool2d", "self, indices, output_size")]
    internal static partial Tensor MaxUnpool2d(Tensor self, Tensor indices, long[] output_size);
    [Aten("aten::max_unpool3d", "self, indices, output_size, stride, padding")]
    internal static partial Tensor MaxUnpool3d(Tensor self, Tensor indices, long[] output_size, long[] stride, long[] padding);

    [Aten("aten::poisson_nll_loss", "input, target, log_input, full, eps, reduction")]
    internal static partial Tensor PoissonNllLoss(Tensor input, Tensor target, bool log_input, bool full, double eps, long reduction);

    [Aten("aten::lstm.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor, Tensor) Lstm(Tensor input, Tensor[] hx, Tensor[] weights, bool has_biases, long num_layers,
        double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::lstm.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor, Tensor) Lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] weights, bool has_biases,
        long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::gru.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor) Gru(Tensor input, Tensor hx, Tensor[] weights, bool has_biases, long num_layers,
        double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::gru.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor) Gru(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] weights, bool has_biases,
        long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::rnn_tanh.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor) RnnTanh(Tensor input, Tensor hx, Tensor[] weights, bool has_biases, long num_layers,
        double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::rnn_tanh.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor) RnnTanh(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] weights, bool has_biases,
        long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::rnn_relu.input", "input, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional, batch_first")]
    internal static partial (Tensor, Tensor) RnnRelu(Tensor input, Tensor hx, Tensor[] weights, bool has_biases, long num_layers,
        double dropout, bool train, bool bidirectional, bool batch_first);
    [Aten("aten::rnn_relu.data", "data, batch_sizes, hx, params=weights, has_biases, num_layers, dropout, train, bidirectional")]
    internal static partial (Tensor, Tensor) RnnRelu(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] weights, bool has_biases,
        long num_layers, double dropout, bool train, bool bidirectional);
    [Aten("aten::lstm_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")]
    internal static partial (Tensor, Tensor) LstmCell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::gru_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")]
    internal static partial Tensor GruCell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::rnn_tanh_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")]
    internal static partial Tensor TanhCell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::rnn_relu_cell", "input, hx, w_ih, w_hh, b_ih, b_hh")]
    internal static partial Tensor ReluCell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh);
    [Aten("aten::_pack_padded_sequence", "input, lengths, batch_first")]
    internal static partial (Tensor, Tensor) PackPadded(Tensor input, Tensor lengths, bool batch_first);
    [Aten("aten::_pad_packed_sequence", "data, batch_sizes, batch_first, padding_value, total_length")]
    internal static partial (Tensor, Tensor) PadPacked(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value,
        long total_length);
    [Aten("aten::pad_sequence", "sequences, batch_first, padding_value")]
    internal static partial Tensor PadSequence(Tensor[] sequences, bool batch_first, double padding_value);

    [Aten("aten::embedding_bag.padding_idx",
        "weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx")]
    internal static partial (Tensor, Tensor, Tensor, Tensor) EmbeddingBag(Tensor weight, Tensor indices, Tensor offsets,
        bool scale_grad_by_freq, long mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, long? padding_idx);
    [Aten("aten::baddbmm", "self, batch1, batch2")] internal static partial Tensor Baddbmm(Tensor self, Tensor batch1, Tensor batch2);

    /// <summary>Returns whether both objects refer to the same <c>TensorImpl</c>.</summary>
    internal static unsafe bool IsSame(Tensor first, Tensor second)
    {
        if (ReferenceEquals(first, second)) return true;
        using var a = first.Lease();
        using var b = second.Lease();
        // A handle is the address of an at::Tensor, whose only member is the address of its TensorImpl.
        return *(IntPtr*)a.Handle == *(IntPtr*)b.Handle;
    }
}
