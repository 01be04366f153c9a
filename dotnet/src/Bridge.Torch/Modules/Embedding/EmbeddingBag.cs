using System.Diagnostics.CodeAnalysis;
using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp
{
    /// <summary>The reductions of a bag's rows to one row.</summary>
    public enum EmbeddingBagMode
    {
        /// <summary>The sum of a bag's rows.</summary>
        Sum = 0,

        /// <summary>The mean of a bag's rows.</summary>
        Mean = 1,

        /// <summary>The maximum of a bag's rows, element by element.</summary>
        Max = 2,
    }
}

namespace TorchSharp.Modules
{
    /// <summary>A lookup of table rows, reduced to one row per bag by their sum, mean or maximum.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html">torch.nn.EmbeddingBag</see>.
    /// </remarks>
    public sealed class EmbeddingBag : nn.Module<Tensor, Tensor?, Tensor?, Tensor>, nn.IModule<Tensor, Tensor, Tensor>
    {
        private readonly double? _maxNorm;
        private readonly double _normType;
        private readonly bool _byFrequency;
        private readonly EmbeddingBagMode _mode;
        private readonly bool _sparse;
        private readonly bool _withLast;
        private readonly long? _padding;

        internal EmbeddingBag(Func<long?, Parameter> table, long rows, double? max_norm, double norm_type, bool scale_grad_by_freq,
            EmbeddingBagMode mode, bool sparse, bool include_last_offset, long padding_index) : base(nameof(EmbeddingBag))
        {
            if (padding_index != -1 && (padding_index < -rows || padding_index >= rows))
                throw new ArgumentException($"EmbeddingBag: padding_index {padding_index} is not one of the {rows} rows.",
                    nameof(padding_index));
            _padding = padding_index == -1 ? null : padding_index < 0 ? padding_index + rows : padding_index;
            (_maxNorm, _normType, _byFrequency, _mode, _sparse, _withLast) =
                (max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset);
            weight = table(_padding);
            (num_embeddings, embedding_dim) = (rows, weight.size(1));
        }

        /// <summary>Gets or sets the table of this EmbeddingBag, [rows, row length].</summary>
        [DisallowNull]
        public Parameter? weight { get; set => field = Put(value); }

        internal long num_embeddings { get; }

        internal long embedding_dim { get; }

        /// <summary>Computes one row for each bag of indices, without the module's hooks.</summary>
        /// <param name="input">The indices: [bags, length] for bags of equal length, or all bags concatenated in one dimension.</param>
        /// <param name="offsets">
        /// The start of each concatenated bag, and with <c>include_last_offset</c> also the end of the last bag; null for bags of equal
        /// length.
        /// </param>
        /// <param name="perSampleWeights">A factor for each index, of the input's shape. Must be null unless the mode is Sum.</param>
        /// <returns>The reduced rows, [bags, row length].</returns>
        /// <exception cref="ArgumentException">An argument does not fit the input's dimensions or the mode.</exception>
        public override Tensor forward(Tensor input, Tensor? offsets = null, Tensor? perSampleWeights = null)
        {
            if (RunsInPython) return ForwardInPython((input, offsets, perSampleWeights));
            using var scope = NewDisposeScope();
            if (input.dim() is not (1 or 2))
                throw new ArgumentException(
                    $"EmbeddingBag takes an input of 1 or 2 dimensions, this one has shape [{string.Join(", ", input.Sizes)}].",
                    nameof(input));
            if (input.dim() == 1 && offsets is null)
                throw new ArgumentException("EmbeddingBag: 'offsets' must be given for an input of one dimension.", nameof(offsets));
            if (input.dim() == 2 && offsets is not null)
                throw new ArgumentException("EmbeddingBag: 'offsets' must be null for an input of two dimensions.", nameof(offsets));
            if (perSampleWeights is not null && _mode != EmbeddingBagMode.Sum)
                throw new ArgumentException($"EmbeddingBag: 'perSampleWeights' needs the mode Sum, it is {_mode}.",
                    nameof(perSampleWeights));
            if (offsets is null)
            {
                offsets = arange(0, input.numel(), input.size(1), input.dtype, input.device);
                input = input.reshape(-1);
                perSampleWeights = perSampleWeights?.reshape(-1);
            }

            if (_maxNorm is { } most)
            {
                using var off = no_grad();
                nn.functional.Renorm(input, weight!, most, _normType).Dispose();
            }

            var (result, _, _, _) = Kernels.EmbeddingBag(weight!, input, offsets, _byFrequency, (long)_mode, _sparse, perSampleWeights,
                _withLast, _padding);
            return result.MoveToOuterDisposeScope();
        }

        /// <summary>Calls the EmbeddingBag with offsets and weights, each of which may be null.</summary>
        /// <param name="input">The indices: [bags, length] for bags of equal length, or all bags concatenated in one dimension.</param>
        /// <param name="offsets">The start of each concatenated bag; null for bags of equal length.</param>
        /// <param name="perSampleWeights">A factor for each index, of the input's shape. Must be null unless the mode is Sum.</param>
        /// <returns>The reduced rows, [bags, row length].</returns>
        public new Tensor call(Tensor input, Tensor? offsets, Tensor? perSampleWeights) => base.call(input, offsets, perSampleWeights);

        /// <summary>Calls the EmbeddingBag with concatenated bags.</summary>
        /// <param name="input">The indices of all bags, in one dimension.</param>
        /// <param name="offsets">The start of each bag.</param>
        /// <returns>The reduced rows, [bags, row length].</returns>
        public Tensor call(Tensor input, Tensor offsets) => base.call(input, offsets, null);

        /// <summary>Calls the EmbeddingBag with bags of equal length.</summary>
        /// <param name="input">The indices, [bags, length].</param>
        /// <returns>The reduced rows, [bags, row length].</returns>
        public Tensor call(Tensor input) => base.call(input, null, null);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates an EmbeddingBag with a table from the standard normal distribution, and zeros in the padding row.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html">torch.nn.EmbeddingBag</see>.
            /// </remarks>
            /// <param name="num_embeddings">The number of rows.</param>
            /// <param name="embedding_dims">The length of a row.</param>
            /// <param name="max_norm">
            /// The largest norm of a row; a call changes the table so that no row that it looks up is longer; null for no limit.
            /// </param>
            /// <param name="norm_type">The p of the p-norm for <paramref name="max_norm"/>.</param>
            /// <param name="scale_grad_by_freq">
            /// Whether a row's gradient is divided by the number of its occurrences among the indices.
            /// </param>
            /// <param name="mode">The reduction of a bag's rows to one row.</param>
            /// <param name="sparse">Whether the gradient of the table is a sparse tensor.</param>
            /// <param name="include_last_offset">Whether the offsets have the end of the last bag, too.</param>
            /// <param name="padding_index">
            /// The index of a row that is left out of every bag; -1 for none. A number below -1 counts from the end.
            /// </param>
            /// <param name="device">The device of the table; null for the default device.</param>
            /// <param name="dtype">The element type of the table; null for the default type.</param>
            public static EmbeddingBag EmbeddingBag(long num_embeddings, long embedding_dims, double? max_norm = null,
                double norm_type = 2.0, bool scale_grad_by_freq = false,
                EmbeddingBagMode mode = EmbeddingBagMode.Mean, bool sparse = false, bool include_last_offset = false,
                    long padding_index = -1, Device? device = null, ScalarType? dtype = null) =>
                new(padding => ParameterInitializers.Table(num_embeddings, embedding_dims, padding, device, dtype), num_embeddings,
                    max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_index);

            /// <summary>Creates an EmbeddingBag with an existing table, which is copied only to change element type or device.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html#torch.nn.EmbeddingBag.from_pretrained">
            /// torch.nn.EmbeddingBag.from_pretrained</see>.
            /// </remarks>
            /// <param name="embeddings">The table, [rows, row length].</param>
            /// <param name="freeze">Whether the table requires no gradient.</param>
            /// <param name="max_norm">
            /// The largest norm of a row; a call changes the table so that no row that it looks up is longer; null for no limit.
            /// </param>
            /// <param name="norm_type">The p of the p-norm for <paramref name="max_norm"/>.</param>
            /// <param name="scale_grad_by_freq">
            /// Whether a row's gradient is divided by the number of its occurrences among the indices.
            /// </param>
            /// <param name="mode">The reduction of a bag's rows to one row.</param>
            /// <param name="sparse">Whether the gradient of the table is a sparse tensor.</param>
            /// <param name="include_last_offset">Whether the offsets have the end of the last bag, too.</param>
            /// <param name="padding_index">
            /// The index of a row that is left out of every bag; -1 for none. A number below -1 counts from the end.
            /// </param>
            /// <param name="device">The device of the table; null for that of <paramref name="embeddings"/>.</param>
            /// <param name="dtype">The element type of the table; null for that of <paramref name="embeddings"/>.</param>
            /// <exception cref="ArgumentException">The table does not have two dimensions.</exception>
            public static EmbeddingBag EmbeddingBag_from_pretrained(Tensor embeddings, bool freeze = true, double? max_norm = null,
                double norm_type = 2.0, bool scale_grad_by_freq = false,
                EmbeddingBagMode mode = EmbeddingBagMode.Mean, bool sparse = false, bool include_last_offset = false,
                    long padding_index = -1, Device? device = null, ScalarType? dtype = null)
            {
                if (embeddings.dim() != 2)
                    throw new ArgumentException(
                        $"EmbeddingBag_from_pretrained takes [rows, length], not [{string.Join(", ", embeddings.Sizes)}].",
                        nameof(embeddings));
                return new(_ => new Parameter(embeddings.detach().to(dtype ?? embeddings.dtype, device ?? embeddings.device), !freeze),
                    embeddings.size(0), max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_index);
            }
        }
    }
}
