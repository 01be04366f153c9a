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

                    /// <summary>Where each sequence was among those that were packed; invalid when they were sorted already.</summary>
                    public readonly Tensor sorted_indices;

                    /// <summary>Where each sequence is now; invalid when they were sorted already.</summary>
                    public readonly Tensor unsorted_indices;

                    /// <summary>Takes the tensors over: they are in no scope, and the sequence is in the thread's one.</summary>
                    internal PackedSequence(Tensor data, Tensor batch_sizes, Tensor? sorted_indices, Tensor? unsorted_indices)
                    {
                        (this.data, this.batch_sizes) = (data, batch_sizes);
                        this.sorted_indices = sorted_indices ?? Tensor.Blank(typeof(Tensor));
                        this.unsorted_indices = unsorted_indices ?? Tensor.Blank(typeof(Tensor));
                        foreach (var tensor in All) tensor.DetachFromDisposeScope();
                        InScope = Entry.Of(this);
                        DisposeScope.Adopt(InScope);
                    }

                    /// <summary>Gets the object that represents the sequence in a scope.</summary>
                    internal Entry InScope { get; }

                    internal bool IsInvalid { get; private set; }

                    /// <summary>Gets the original position of each sequence; null if they were sorted.</summary>
                    internal Tensor? Order => sorted_indices.IsInvalid ? null : sorted_indices;

                    /// <summary>Gets the current position of each sequence; null if they were sorted.</summary>
                    internal Tensor? Back => unsorted_indices.IsInvalid ? null : unsorted_indices;

                    /// <summary>Gets the number of sequences.</summary>
                    internal long Largest
                    {
                        get
                        {
                            using var first = batch_sizes.select(0, 0);
                            return first.item<long>();
                        }
                    }

                    /// <summary>Gets the four tensors of PyTorch's sequence; null for missing ones.</summary>
                    internal Tensor?[] Parts => [data, batch_sizes, Order, Back];

                    /// <summary>Creates a sequence of four such tensors, with objects of its own; returns null for other values.</summary>
                    internal static PackedSequence? Of(object? parts)
                    {
                        if (parts is not object?[] { Length: 4 } all || all[0] is not Tensor data || all[1] is not Tensor sizes
                            || all[2] is not (null or Tensor) || all[3] is not (null or Tensor))
                            return null;
                        return new(Second(data)!, Second(sizes)!, Second((Tensor?)all[2]), Second((Tensor?)all[3]));
                    }

                    /// <summary>Returns a second object for the same tensor.</summary>
                    private static Tensor? Second(Tensor? tensor) => tensor is null ? null : Tensor.Own(tensor.NewHandle());

                    /// <summary>Returns a sequence with the same lengths and the data from a hook.</summary>
                    internal PackedSequence ReplaceData(Tensor other) => WithData(Second(other)!);

                    /// <summary>Returns a sequence with the same lengths and other data.</summary>
                    internal PackedSequence WithData(Tensor other) => new(other, batch_sizes.alias(), Order?.alias(), Back?.alias());

                    private Tensor[] All => [data, batch_sizes, sorted_indices, unsorted_indices];

                    public void Dispose() => InScope.Dispose();

                    public PackedSequence MoveToOuterDisposeScope()
                    {
                        InScope.MoveToOuterDisposeScope();
                        return this;
                    }

                    public PackedSequence DetachFromDisposeScope()
                    {
                        InScope.DetachFromDisposeScope();
                        return this;
                    }

                    public PackedSequence MoveToOtherDisposeScope(PackedSequence other) => MoveToOtherDisposeScope(other.InScope.Scope);

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
                    /// The entry of a sequence in a scope, whose list consists of tensors (<see cref="DisposeScope"/>). It has no handle.
                    /// </summary>
                    internal sealed class Entry : Tensor
                    {
                        // Never called: Blank creates the object, which does not count as a tensor.
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
                /// <param name="input">[steps, batch, ...], or [batch, steps, ...].</param>
                /// <param name="lengths">The length of each sequence, int64 on the CPU.</param>
                /// <param name="batch_first">The batch is the first dimension.</param>
                /// <param name="enforce_sorted">They are sorted, the longest first; otherwise they are sorted here.</param>
                public static PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                    bool enforce_sorted = true) =>
                    Pack(() => (input, lengths), batch_first, enforce_sorted);

                /// <summary>Packs sequences [steps, ...].</summary>
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
                        var counts = lengths.to(int64, CPU);
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

                /// <summary>Unpacks sequences: they with padding, and their lengths.</summary>
                /// <param name="sequence">The sequences.</param>
                /// <param name="batch_first">The batch is to be the first dimension.</param>
                /// <param name="padding_value">What fills up the shorter ones.</param>
                /// <param name="total_length">The length of the result; null for that of the longest one.</param>
                /// <exception cref="ArgumentException">The length is less than that.</exception>
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
                    if (sequence.Back is { } back)
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
