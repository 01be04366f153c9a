namespace TorchSharp;

public static partial class torch
{
    /// <summary>One index in <c>x[…]</c>: a number, a slice, a tensor, a boolean, a new dimension or an ellipsis.</summary>
    public struct TensorIndex
    {
        internal enum Kind
        {
            NewDimension,
            Slice,
            Single,
            Tensor,
            Bool,
            Ellipsis,
        }

        internal readonly Kind What;
        internal readonly long? Start;
        internal readonly long? Stop;
        internal readonly long? Step;
        internal readonly torch.Tensor? Values;

        private TensorIndex(Kind what, long? start = null, long? stop = null, long? step = null, torch.Tensor? values = null) =>
            (What, Start, Stop, Step, Values) = (what, start, stop, step, values);

        public static TensorIndex Ellipsis = new(Kind.Ellipsis);

        /// <summary>A new dimension of size 1, as Python's None.</summary>
        public static TensorIndex None = new(Kind.NewDimension);

        /// <summary>The same as <see cref="None"/>.</summary>
        public static TensorIndex Null = new(Kind.NewDimension);

        /// <summary>The entire dimension.</summary>
        public static TensorIndex Colon = new(Kind.Slice);

        public static TensorIndex Slice(long? start = null, long? stop = null, long? step = null) => new(Kind.Slice, start, stop, step);

        public static TensorIndex Slice((int? start, int? end) range) => range;

        public static TensorIndex Slice(Range range) => range;

        public static TensorIndex Bool(bool value) => new(Kind.Bool, value ? 1 : 0);

        public static TensorIndex Single(long? index) => new(Kind.Single, index);

        public static TensorIndex Tensor(torch.Tensor tensor) => new(Kind.Tensor, values: tensor);

        public static implicit operator TensorIndex(long value) => Single(value);

        /// <summary>
        /// Throws: as in TorchSharp, the conversion only makes the compiler choose the TensorIndex indexer for
        /// <c>x[TensorIndex.Colon, 1]</c>. That indexer does not call the conversion.
        /// </summary>
        /// <exception cref="InvalidOperationException">
        /// Always. <c>x[TensorIndex.Colon, tensor]</c> compiles, but throws; wrap the tensor with <see cref="Tensor"/>.
        /// </exception>
        public static implicit operator Tensor(TensorIndex value) =>
            throw new InvalidOperationException("Beside a TensorIndex, write an index that is a tensor as TensorIndex.Tensor(tensor).");

        public static implicit operator TensorIndex((int? start, int? end) range) => Slice(range.start, range.end);

        public static implicit operator TensorIndex(Range range) =>
            Slice(Position(range.Start), range.End.Equals(Index.End) ? null : Position(range.End));

        public static implicit operator TensorIndex(Index index) => Single(Position(index));

        private static long Position(Index index) => index.IsFromEnd ? -index.Value : index.Value;
    }
}
