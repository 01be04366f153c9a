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

        /// <summary>As many entire dimensions as the other indices leave, as Python's <c>...</c>.</summary>
        public static TensorIndex Ellipsis = new(Kind.Ellipsis);

        /// <summary>A new dimension of size 1, as Python's None.</summary>
        public static TensorIndex None = new(Kind.NewDimension);

        /// <summary>The same as <see cref="None"/>.</summary>
        public static TensorIndex Null = new(Kind.NewDimension);

        /// <summary>The entire dimension.</summary>
        public static TensorIndex Colon = new(Kind.Slice);

        /// <summary>Creates a slice, as Python's <c>start:stop:step</c>.</summary>
        /// <param name="start">The first index; null for 0.</param>
        /// <param name="stop">The end, which is not included; null for the end of the dimension.</param>
        /// <param name="step">The step, at least 1; null for 1.</param>
        /// <returns>The index. A negative start or stop counts from the end.</returns>
        public static TensorIndex Slice(long? start = null, long? stop = null, long? step = null) => new(Kind.Slice, start, stop, step);

        /// <summary>Creates a slice of a range of indices.</summary>
        /// <param name="range">The first index, and the end, which is not included; null for those of the dimension.</param>
        /// <returns>The index.</returns>
        public static TensorIndex Slice((int? start, int? end) range) => range;

        /// <summary>Creates a slice of a C# range.</summary>
        /// <param name="range">The range, for example <c>1..^1</c>.</param>
        /// <returns>The index.</returns>
        public static TensorIndex Slice(Range range) => range;

        /// <summary>Creates a boolean index, which adds a dimension.</summary>
        /// <param name="value">Whether the new dimension has size 1, rather than 0.</param>
        /// <returns>The index.</returns>
        public static TensorIndex Bool(bool value) => new(Kind.Bool, value ? 1 : 0);

        /// <summary>Creates the index of a single element, which removes the dimension.</summary>
        /// <param name="index">The index; a negative one counts from the end.</param>
        /// <returns>The index.</returns>
        public static TensorIndex Single(long? index) => new(Kind.Single, index);

        /// <summary>Creates an index from a tensor.</summary>
        /// <param name="tensor">
        /// Integers: indices along one dimension. Booleans or bytes: a mask, which covers as many dimensions as the mask itself has.
        /// </param>
        /// <returns>The index.</returns>
        public static TensorIndex Tensor(torch.Tensor tensor) => new(Kind.Tensor, values: tensor);

        /// <summary>Converts the index of a single element.</summary>
        /// <param name="value">The index; a negative one counts from the end.</param>
        /// <returns>The index.</returns>
        public static implicit operator TensorIndex(long value) => Single(value);

        /// <summary>
        /// Throws an exception. As in TorchSharp, the conversion exists only so that the compiler chooses the indexer with TensorIndex
        /// parameters for <c>x[TensorIndex.Colon, 1]</c>. That indexer never calls the conversion.
        /// </summary>
        /// <param name="value">The index.</param>
        /// <exception cref="InvalidOperationException">
        /// Always. <c>x[TensorIndex.Colon, tensor]</c> compiles, but throws; wrap the tensor with <see cref="Tensor"/>.
        /// </exception>
        public static implicit operator Tensor(TensorIndex value) =>
            throw new InvalidOperationException("Beside a TensorIndex, write an index that is a tensor as TensorIndex.Tensor(tensor).");

        /// <summary>Converts a range of indices to a slice.</summary>
        /// <param name="range">The first index, and the end, which is not included; null for those of the dimension.</param>
        /// <returns>The slice.</returns>
        public static implicit operator TensorIndex((int? start, int? end) range) => Slice(range.start, range.end);

        /// <summary>Converts a C# range to a slice.</summary>
        /// <param name="range">The range, for example <c>1..^1</c>.</param>
        /// <returns>The slice.</returns>
        public static implicit operator TensorIndex(Range range) =>
            Slice(Position(range.Start), range.End.Equals(Index.End) ? null : Position(range.End));

        /// <summary>Converts a C# index.</summary>
        /// <param name="index">The index: <c>1</c>, or <c>^1</c> for the last element.</param>
        /// <returns>The index.</returns>
        public static implicit operator TensorIndex(Index index) => Single(Position(index));

        private static long Position(Index index) => index.IsFromEnd ? -index.Value : index.Value;
    }
}
