using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public static partial class utils
        {
            /// <summary>Functions for sequences of different lengths.</summary>
            /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.html#utilities">torch.nn.utils.rnn</see>.</remarks>
            public static partial class rnn
            {
                /// <summary>Sequences of different lengths in one tensor: all first steps, then all second steps, etc.</summary>
                /// <remarks>
                /// PyTorch:
                /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html">
                /// torch.nn.utils.rnn.PackedSequence</see>.
                /// </remarks>
                public sealed class PackedSequence : IDisposable
                {
                    /// <summary>The elements of all sequences in this order, [sum of all lengths, ...].</summary>
                    public readonly Tensor data;

                    /// <summary>The number of sequences that have each step.</summary>
                    public readonly Tensor batch_sizes;

                    /// <summary>The original position of each packed sequence; an invalid tensor if packing did not sort.</summary>
                    public readonly Tensor sorted_indices;

                    /// <summary>The packed position of each original sequence; an invalid tensor if packing did not sort.</summary>
                    public readonly Tensor unsorted_indices;

                    /// <summary>Takes the tensors over from their dispose scopes. The sequence joins the thread's current scope.</summary>
                    internal PackedSequence(Tensor data, Tensor batch_sizes, Tensor? sorted_indices, Tensor? unsorted_indices)
                    {
                        (this.data, this.batch_sizes) = (data, batch_sizes);
                        this.sorted_indices = sorted_indices ?? Tensor.Blank(typeof(Tensor));
                        this.unsorted_indices = unsorted_indices ?? Tensor.Blank(typeof(Tensor));
                        foreach (var tensor in All) tensor.DetachFromDisposeScope();
                        InScope = Entry.Of(this);
                        DisposeScope.Adopt(InScope);
                    }

                    /// <summary>Gets the tensor object that represents the sequence in a dispose scope.</summary>
                    internal Entry InScope { get; }

                    internal bool IsInvalid { get; private set; }

                    /// <summary>Gets <see cref="sorted_indices"/>; null if packing did not sort.</summary>
                    internal Tensor? Order => sorted_indices.IsInvalid ? null : sorted_indices;

                    /// <summary>Gets <see cref="unsorted_indices"/>; null if packing did not sort.</summary>
                    internal Tensor? Inverse => unsorted_indices.IsInvalid ? null : unsorted_indices;

                    internal long SequenceCount
                    {
                        get
                        {
                            using var first = batch_sizes.select(0, 0);
                            return first.item<long>();
                        }
                    }

                    /// <summary>Gets the four tensors of PyTorch's <c>PackedSequence</c>; null for missing ones.</summary>
                    internal Tensor?[] Parts => [data, batch_sizes, Order, Inverse];

                    /// <summary>
                    /// Creates a sequence from an array of <see cref="Parts"/>, with new tensor objects. Returns null for other values.
                    /// </summary>
                    internal static PackedSequence? Of(object? parts)
                    {
                        if (parts is not object?[] { Length: 4 } all || all[0] is not Tensor data || all[1] is not Tensor sizes
                            || all[2] is not (null or Tensor) || all[3] is not (null or Tensor))
                            return null;
                        return new(NewObject(data)!, NewObject(sizes)!, NewObject((Tensor?)all[2]), NewObject((Tensor?)all[3]));
                    }

                    /// <summary>Returns a new object for the same tensor.</summary>
                    private static Tensor? NewObject(Tensor? tensor) => tensor is null ? null : Tensor.Own(tensor.NewHandle());

                    /// <summary>Returns a sequence with the same lengths and a new object for the data that a hook returned.</summary>
                    internal PackedSequence ReplaceData(Tensor other) => WithData(NewObject(other)!);

                    /// <summary>Returns a sequence with the same lengths and the given data.</summary>
                    internal PackedSequence WithData(Tensor other) => new(other, batch_sizes.alias(), Order?.alias(), Inverse?.alias());

                    private Tensor[] All => [data, batch_sizes, sorted_indices, unsorted_indices];

                    /// <summary>Disposes the four tensors of the sequences.</summary>
                    public void Dispose() => InScope.Dispose();

                    /// <summary>
                    /// Moves the sequences to the scope that encloses their own scope, or out of all scopes if there is none.
                    /// </summary>
                    /// <returns>These sequences.</returns>
                    public PackedSequence MoveToOuterDisposeScope()
                    {
                        InScope.MoveToOuterDisposeScope();
                        return this;
                    }

                    /// <summary>Keeps the sequences when their scope is disposed.</summary>
                    /// <returns>These sequences.</returns>
                    public PackedSequence DetachFromDisposeScope()
                    {
                        InScope.DetachFromDisposeScope();
                        return this;
                    }

                    /// <summary>Moves the sequences to the scope of others, or out of all scopes if the others are in none.</summary>
                    /// <param name="other">The sequences in the scope.</param>
                    /// <returns>These sequences.</returns>
                    public PackedSequence MoveToOtherDisposeScope(PackedSequence other) => MoveToOtherDisposeScope(other.InScope.Scope);

                    /// <summary>Moves the sequences to a scope, or out of all scopes if the argument is null.</summary>
                    /// <param name="other">The scope; null for none.</param>
                    /// <returns>These sequences.</returns>
                    public PackedSequence MoveToOtherDisposeScope(DisposeScope? other)
                    {
                        InScope.MoveToOtherDisposeScope(other);
                        return this;
                    }

                    private void DisposeTensors(bool inScope)
                    {
                        if (IsInvalid) return;
                        IsInvalid = true;
                        var mine = DisposeScopeManager.ForThread;
                        var ending = mine.Ending;
                        mine.Ending |= inScope;
                        try
                        {
                            foreach (var tensor in All) tensor.Dispose();
                            mine.CountDisposed(InScope, inScope);
                        }
                        finally
                        {
                            mine.Ending = ending;
                        }
                    }

                    /// <summary>
                    /// Represents a sequence in a <see cref="DisposeScope"/>, since a scope holds only tensors. It has no handle.
                    /// </summary>
                    internal sealed class Entry : Tensor
                    {
                        // Never called: Blank creates the object, so that statistics do not count it as a tensor.
                        private Entry() : base(IntPtr.Zero)
                        {
                        }

                        internal PackedSequence Sequence { get; private set; } = null!;

                        internal static Entry Of(PackedSequence sequence)
                        {
                            var entry = (Entry)Blank(typeof(Entry));
                            entry.Sequence = sequence;
                            return entry;
                        }

                        protected override void Dispose(bool disposing)
                        {
                            if (disposing) Sequence.DisposeTensors(Leave());
                        }
                    }
                }

                /// <summary>Packs padded sequences.</summary>
                /// <remarks>
                /// PyTorch:
                /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html">
                /// torch.nn.utils.rnn.pack_padded_sequence</see>.
                /// </remarks>
                /// <param name="input">[steps, batch, ...], or [batch, steps, ...].</param>
                /// <param name="lengths">The length of each sequence.</param>
                /// <param name="batch_first">Whether the batch is the first dimension.</param>
                /// <param name="enforce_sorted">Whether the sequences are already sorted, longest first; otherwise they get sorted.</param>
                /// <returns>The packed sequences.</returns>
                public static PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                    bool enforce_sorted = true) =>
                    Pack(() => (input, lengths), batch_first, enforce_sorted);

                /// <summary>Packs sequences of shape [steps, ...].</summary>
                /// <remarks>
                /// PyTorch:
                /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_sequence.html">
                /// torch.nn.utils.rnn.pack_sequence</see>.
                /// </remarks>
                /// <param name="sequences">The sequences, [steps, ...] each.</param>
                /// <param name="enforce_sorted">Whether the sequences are already sorted, longest first; otherwise they get sorted.</param>
                /// <returns>The packed sequences.</returns>
                public static PackedSequence pack_sequence(IEnumerable<Tensor> sequences, bool enforce_sorted = true) => Pack(() =>
                {
                    var all = sequences.ToArray();
                    return (pad_sequence(all), tensor(all.Select(sequence => sequence.size(0)).ToArray()));
                }, false, enforce_sorted);

                private static PackedSequence Pack(Func<(Tensor Input, Tensor Lengths)> given, bool batch_first, bool enforce_sorted)
                {
                    var parts = DisposeScopeManager.RunUncounted(() =>
                    {
                        using var scope = NewDisposeScope();
                        var (input, lengths) = given();
                        var counts = lengths.to(ScalarType.Int64, CPU);
                        Tensor? order = null;
                        if (!enforce_sorted)
                        {
                            (counts, order) = counts.sort(-1, true);
                            order = order.to(input.device);
                            input = input.index_select(batch_first ? 0 : 1, order);
                        }

                        var (data, batch_sizes) = Kernels.PackPadded(input, counts, batch_first);
                        return Array.ConvertAll<Tensor?, IntPtr>([data, batch_sizes, order, order?.argsort()], part =>
                            part?.NewHandle() ?? IntPtr.Zero);
                    });
                    return new PackedSequence(Tensor.Own(parts[0]), Tensor.Own(parts[1]), Part(parts[2]), Part(parts[3]));
                }

                private static Tensor? Part(IntPtr handle) => handle == IntPtr.Zero ? null : Tensor.Own(handle);

                /// <summary>Returns the sequences in one padded tensor, and their lengths.</summary>
                /// <remarks>
                /// PyTorch:
                /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_packed_sequence.html">
                /// torch.nn.utils.rnn.pad_packed_sequence</see>.
                /// </remarks>
                /// <param name="sequence">The sequences.</param>
                /// <param name="batch_first">Whether the batch becomes the first dimension.</param>
                /// <param name="padding_value">The number that fills shorter sequences.</param>
                /// <param name="total_length">The steps of the result; null for the length of the longest sequence.</param>
                /// <exception cref="ArgumentException"><c>total_length</c> is less than the longest length.</exception>
                public static (Tensor, Tensor) pad_packed_sequence(PackedSequence sequence, bool batch_first = false,
                    double padding_value = 0.0, long? total_length = null)
                {
                    using var scope = NewDisposeScope();
                    var longest = sequence.batch_sizes.size(0);
                    if (total_length is { } total && total < longest)
                        throw new ArgumentException($"total_length {total} is less than the length of the longest sequence, {longest}.",
                            nameof(total_length));
                    var (padded, lengths) = Kernels.PadPacked(sequence.data, sequence.batch_sizes, batch_first, padding_value, total_length
                        ?? longest);
                    if (sequence.Inverse is { } back)
                    {
                        padded = padded.index_select(batch_first ? 0 : 1, back);
                        lengths = lengths.index_select(0, back.cpu());
                    }

                    return (padded.MoveToOuterDisposeScope(), lengths.MoveToOuterDisposeScope());
                }

                /// <summary>Stacks sequences of shape [steps, ...] and pads shorter ones at the end.</summary>
                /// <remarks>
                /// PyTorch:
                /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html">
                /// torch.nn.utils.rnn.pad_sequence</see>.
                /// </remarks>
                /// <param name="sequences">The sequences, [steps, ...] each.</param>
                /// <param name="batch_first">Whether the batch becomes the first dimension, not the second.</param>
                /// <param name="padding_value">The number that fills shorter sequences.</param>
                /// <returns>
                /// The sequences, [longest length, batch, ...], or with <paramref name="batch_first"/> [batch, longest length, ...].
                /// </returns>
                public static Tensor pad_sequence(IEnumerable<Tensor> sequences, bool batch_first = false, double padding_value = 0.0) =>
                    Kernels.PadSequence(sequences.ToArray(), batch_first, padding_value);
            }
        }
    }
}
