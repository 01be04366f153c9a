using System.Diagnostics.CodeAnalysis;
using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>
    /// A lookup of table rows by int64 or int32 indices of any shape. The result has the indices' shape with the row length appended.
    /// </summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html">torch.nn.Embedding</see>.
    /// </remarks>
    public sealed class Embedding : BuiltIn
    {
        private readonly double? _maxNorm;
        private readonly double _normType;
        private readonly bool _byFrequency;
        private readonly bool _sparse;

        internal Embedding(Func<long?, Parameter> table, long rows, long? padding_idx, double? max_norm, double norm_type,
            bool scale_grad_by_freq, bool sparse) : base(nameof(Embedding))
        {
            if (padding_idx is { } given && (given < -rows || given >= rows))
                throw new ArgumentException($"Embedding: padding_idx {given} is not one of the {rows} rows.", nameof(padding_idx));
            this.padding_idx = padding_idx < 0 ? padding_idx + rows : padding_idx;
            (_maxNorm, _normType, _byFrequency, _sparse) = (max_norm, norm_type, scale_grad_by_freq, sparse);
            weight = table(this.padding_idx);
            (num_embeddings, embedding_dim) = (rows, weight.size(1));
        }

        /// <summary>Gets the index of the row that gets no gradient, never negative; null if there is no such row.</summary>
        public long? padding_idx { get; }

        /// <summary>Gets or sets the table of this Embedding, [rows, row length].</summary>
        [DisallowNull]
        public Parameter? weight { get; set => field = Put(value); }

        internal long num_embeddings { get; }

        internal long embedding_dim { get; }

        private protected override Tensor Compute(Tensor input)
        {
            if (_maxNorm is { } most)
            {
                using var off = no_grad();
                nn.functional.Renorm(input, weight!, most, _normType).Dispose();
            }

            return nn.functional.Embedding(input, weight!, padding_idx ?? -1, _byFrequency, _sparse);
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates a lookup of rows in a table from the standard normal distribution, with zeros in the padding row.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html">torch.nn.Embedding</see>.
            /// </remarks>
            /// <param name="num_embeddings">The number of rows.</param>
            /// <param name="embedding_dims">The length of a row.</param>
            /// <param name="padding_idx">
            /// The index of the row that gets no gradient, from the end if negative; null for no such row.
            /// </param>
            /// <param name="max_norm">
            /// The largest norm of a row; a call changes the table so that no row that it looks up is longer; null for no limit.
            /// </param>
            /// <param name="norm_type">The p of the p-norm for <paramref name="max_norm"/>.</param>
            /// <param name="scale_grad_by_freq">
            /// Whether a row's gradient is divided by the number of its occurrences among the indices.
            /// </param>
            /// <param name="sparse">Whether the gradient of the table is a sparse tensor.</param>
            /// <param name="device">The device of the table; null for the default device.</param>
            /// <param name="dtype">The element type of the table; null for the default type.</param>
            public static Embedding Embedding(long num_embeddings, long embedding_dims, long? padding_idx = null, double? max_norm = null,
                double norm_type = 2.0, bool scale_grad_by_freq = false, bool sparse = false, Device? device = null,
                ScalarType? dtype = null)
            {
                return new(padding => ParameterInitializers.Table(num_embeddings, embedding_dims, padding, device, dtype), num_embeddings,
                    padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse);
            }

            /// <summary>Creates a lookup of rows in an existing table, which is copied only to change element type or device.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html#torch.nn.Embedding.from_pretrained">
            /// torch.nn.Embedding.from_pretrained</see>.
            /// </remarks>
            /// <param name="embeddings">The table, [rows, row length].</param>
            /// <param name="freeze">Whether the table requires no gradient.</param>
            /// <param name="padding_idx">
            /// The index of the row that gets no gradient, from the end if negative; null for no such row.
            /// </param>
            /// <param name="max_norm">
            /// The largest norm of a row; a call changes the table so that no row that it looks up is longer; null for no limit.
            /// </param>
            /// <param name="norm_type">The p of the p-norm for <paramref name="max_norm"/>.</param>
            /// <param name="scale_grad_by_freq">
            /// Whether a row's gradient is divided by the number of its occurrences among the indices.
            /// </param>
            /// <param name="sparse">Whether the gradient of the table is a sparse tensor.</param>
            /// <param name="device">The device of the table; null for that of <paramref name="embeddings"/>.</param>
            /// <param name="dtype">The element type of the table; null for that of <paramref name="embeddings"/>.</param>
            /// <exception cref="ArgumentException">The table does not have two dimensions.</exception>
            public static Embedding Embedding_from_pretrained(Tensor embeddings, bool freeze = true, long? padding_idx = null,
                double? max_norm = null, double norm_type = 2.0,
                bool scale_grad_by_freq = false, bool sparse = false, Device? device = null, ScalarType? dtype = null)
            {
                if (embeddings.dim() != 2)
                    throw new ArgumentException(
                        $"Embedding_from_pretrained takes [rows, length], not [{string.Join(", ", embeddings.Sizes)}].",
                        nameof(embeddings));
                return new(_ => new Parameter(embeddings.detach().to(dtype ?? embeddings.dtype, device ?? embeddings.device), !freeze),
                    embeddings.size(0), padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse);
            }
        }
    }
}
