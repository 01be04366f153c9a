using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public static partial class utils
        {
            /// <summary>Sequences of different lengths in one tensor.</summary>
            public static partial class rnn
            {
                /// <summary>Sequences of different lengths, the longest first, step by step in one tensor.</summary>
                public sealed class PackedSequence : IDisposable
                {
                    /// <summary>The steps, [sum of all lengths, ...].</summary>
                    public readonly Tensor data;

                    /// <summary>How many sequences have each step.</summary>
                    public readonly Tensor batch_sizes;

                    /// <summary>Where each sequence was among those that were packed; null when they were sorted already.</summary>
                    public readonly Tensor? sorted_indices;

                    /// <summary>Where each sequence is now.</summary>
                    public readonly Tensor? unsorted_indices;

                    internal PackedSequence(Tensor data, Tensor batch_sizes, Tensor? sorted_indices, Tensor? unsorted_indices) =>
                        (this.data, this.batch_sizes, this.sorted_indices, this.unsorted_indices) = (data, batch_sizes, sorted_indices, unsorted_indices);

                    /// <summary>The number of sequences.</summary>
                    internal long Largest
                    {
                        get
                        {
                            using var first = batch_sizes.select(0, 0);
                            return first.item<long>();
                        }
                    }

                    /// <summary>Other data of the same lengths.</summary>
                    internal PackedSequence With(Tensor other) => new(other, batch_sizes.alias(), sorted_indices?.alias(), unsorted_indices?.alias());

                    private IEnumerable<Tensor> All => new[] { data, batch_sizes, sorted_indices, unsorted_indices }.OfType<Tensor>();

                    public void Dispose()
                    {
                        foreach (var tensor in All) tensor.Dispose();
                    }

                    public PackedSequence MoveToOuterDisposeScope()
                    {
                        foreach (var tensor in All) tensor.MoveToOuterDisposeScope();
                        return this;
                    }

                    public PackedSequence DetachFromDisposeScope()
                    {
                        foreach (var tensor in All) tensor.DetachFromDisposeScope();
                        return this;
                    }
                }

                /// <summary>Packs padded sequences.</summary>
                /// <param name="input">[steps, batch, ...], or [batch, steps, ...].</param>
                /// <param name="lengths">The length of each sequence, int64 on the CPU.</param>
                /// <param name="batch_first">The batch is the first dimension.</param>
                /// <param name="enforce_sorted">They are sorted, the longest first; otherwise they are sorted here.</param>
                public static PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false, bool enforce_sorted = true)
                {
                    using var scope = NewDisposeScope();
                    var counts = lengths.to(int64, CPU);
                    Tensor? order = null;
                    Tensor? back = null;
                    if (!enforce_sorted)
                    {
                        (counts, order) = counts.sort(-1, true);
                        order = order.to(input.device);
                        input = input.index_select(batch_first ? 0 : 1, order);
                        back = order.argsort();
                    }

                    var (data, batch_sizes) = Kernels.PackPadded(input, counts, batch_first);
                    return new PackedSequence(data, batch_sizes, order, back).MoveToOuterDisposeScope();
                }

                /// <summary>Packs sequences [steps, ...].</summary>
                public static PackedSequence pack_sequence(IEnumerable<Tensor> sequences, bool enforce_sorted = true)
                {
                    using var scope = NewDisposeScope();
                    var all = sequences.ToArray();
                    var lengths = tensor(all.Select(one => one.size(0)).ToArray());
                    return pack_padded_sequence(pad_sequence(all), lengths, false, enforce_sorted).MoveToOuterDisposeScope();
                }

                /// <summary>Unpacks sequences: they with padding, and their lengths.</summary>
                /// <param name="sequence">The sequences.</param>
                /// <param name="batch_first">The batch is to be the first dimension.</param>
                /// <param name="padding_value">What fills up the shorter ones.</param>
                /// <param name="total_length">The length of the result; null for that of the longest one.</param>
                /// <exception cref="ArgumentException">The length is less than that.</exception>
                public static (Tensor, Tensor) pad_packed_sequence(PackedSequence sequence, bool batch_first = false, double padding_value = 0.0, long? total_length = null)
                {
                    using var scope = NewDisposeScope();
                    var longest = sequence.batch_sizes.size(0);
                    if (total_length is { } total && total < longest)
                        throw new ArgumentException($"total_length {total} is less than the length of the longest sequence, {longest}.", nameof(total_length));
                    var (padded, lengths) = Kernels.PadPacked(sequence.data, sequence.batch_sizes, batch_first, padding_value, total_length ?? longest);
                    if (sequence.unsorted_indices is { } back)
                    {
                        padded = padded.index_select(batch_first ? 0 : 1, back);
                        lengths = lengths.index_select(0, back.cpu());
                    }

                    return (padded.MoveToOuterDisposeScope(), lengths.MoveToOuterDisposeScope());
                }

                /// <summary>Stacks sequences [steps, ...] of different lengths, the shorter ones filled up.</summary>
                public static Tensor pad_sequence(IEnumerable<Tensor> sequences, bool batch_first = false, double padding_value = 0.0) =>
                    Kernels.PadSequence(sequences.ToArray(), batch_first, padding_value);
            }
        }
    }
}
