using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static unsafe partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::_indices", "self")] private partial Tensor Indices();
        [Aten("aten::_values", "self")] private partial Tensor SparseParts();

        /// <summary>A name of the user's, which nothing reads.</summary>
        public string? name { get; set; }

        public bool is_quantized() => torch.is_quantized(dtype);

        public bool is_sparse => Property(Abi.get_layout, "layout") == 1;

        /// <summary>The indices of a sparse tensor, coalesced or not.</summary>
        public Tensor SparseIndices => Indices();

        /// <summary>The elements at <see cref="SparseIndices"/>.</summary>
        public Tensor SparseValues => SparseParts();

        /// <summary>False: no dimension has a name.</summary>
        public bool has_names() => false;

        /// <summary>A null for each dimension: none has a name.</summary>
        public string?[] names => new string?[dim()];

        public Tensor mps(bool non_blocking = false) => to(MPS, non_blocking: non_blocking);

        public Tensor type(Func<Tensor, Tensor> typeFunc) => typeFunc(this);

        public Tensor expand(Size sizes, bool isImplicit = false) => expand(sizes.Shape);

        public Tensor unflatten(long dim, Size sizes) => unflatten(dim, sizes.Shape);

        public static Tensor op_MinusMinusGreater(Tensor t, nn.Module<Tensor, Tensor> m) => m.call(t);

        public Tensor stft(long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null, bool center = true, PaddingModes pad_mode = PaddingModes.Reflect, bool normalized = false, bool? onesided = null, bool? return_complex = null) =>
            torch.stft(this, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex);

        public Tensor istft(long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null, bool center = true, bool normalized = false, bool? onesided = null, long length = -1, bool return_complex = false) =>
            torch.istft(this, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex);

        /// <summary>Its elements as Scalars in lists of lists; one Scalar where it has no dimension.</summary>
        public object tolist() => dim() == 0 ? this.ToScalar() : new System.Collections.ArrayList(unbind(0).Select(part => part.tolist()).ToList());
    }
}
