using System.Collections;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>The sizes of a tensor's dimensions.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/size.html#torch.Size">torch.Size</see>.</remarks>
    public struct Size : IEnumerable<long>
    {
        /// <summary>No sizes: the shape of a 0-dim tensor.</summary>
        public static Size Empty = new(System.Array.Empty<long>());

        private readonly long[]? _shape;

        /// <summary>Creates the sizes in an array.</summary>
        /// <param name="shape">The sizes, which are copied.</param>
        public Size(long[] shape) => _shape = (long[])shape.Clone();

        /// <summary>Creates the sizes in a sequence.</summary>
        /// <param name="shape">The sizes, which are copied.</param>
        public Size(IEnumerable<long> shape) => _shape = shape.ToArray();

        /// <summary>Creates the sizes in an array of 32-bit integers.</summary>
        /// <param name="shape">The sizes, which are copied.</param>
        public Size(int[] shape) => _shape = shape.Select(size => (long)size).ToArray();

        /// <summary>Creates the size of a single dimension.</summary>
        /// <param name="size">The size.</param>
        public Size(long size) => _shape = [size];

        /// <summary>Creates the sizes of two dimensions.</summary>
        /// <param name="size">The sizes.</param>
        public Size((long, long) size) => _shape = [size.Item1, size.Item2];

        /// <summary>Creates the sizes of three dimensions.</summary>
        /// <param name="size">The sizes.</param>
        public Size((long, long, long) size) => _shape = [size.Item1, size.Item2, size.Item3];

        /// <summary>Creates the sizes of four dimensions.</summary>
        /// <param name="size">The sizes.</param>
        public Size((long, long, long, long) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4];

        /// <summary>Creates the sizes of five dimensions.</summary>
        /// <param name="size">The sizes.</param>
        public Size((long, long, long, long, long) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5];

        /// <summary>Creates the sizes of six dimensions.</summary>
        /// <param name="size">The sizes.</param>
        public Size((long, long, long, long, long, long) size) =>
            _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5, size.Item6];

        /// <summary>Creates the size of a single dimension from a 32-bit integer.</summary>
        /// <param name="size">The size.</param>
        public Size(int size) => _shape = [size];

        /// <summary>Creates the sizes of two dimensions from 32-bit integers.</summary>
        /// <param name="size">The sizes.</param>
        public Size((int, int) size) => _shape = [size.Item1, size.Item2];

        /// <summary>Creates the sizes of three dimensions from 32-bit integers.</summary>
        /// <param name="size">The sizes.</param>
        public Size((int, int, int) size) => _shape = [size.Item1, size.Item2, size.Item3];

        /// <summary>Creates the sizes of four dimensions from 32-bit integers.</summary>
        /// <param name="size">The sizes.</param>
        public Size((int, int, int, int) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4];

        /// <summary>Creates the sizes of five dimensions from 32-bit integers.</summary>
        /// <param name="size">The sizes.</param>
        public Size((int, int, int, int, int) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5];

        /// <summary>Creates the sizes of six dimensions from 32-bit integers.</summary>
        /// <param name="size">The sizes.</param>
        public Size((int, int, int, int, int, int) size) =>
            _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5, size.Item6];

        /// <summary>Gets the array of the sizes, which is not a copy.</summary>
        public readonly long[] Shape => _shape ?? [];

        /// <summary>Gets whether there are no sizes.</summary>
        public readonly bool IsEmpty => Shape.Length == 0;

        /// <summary>Gets whether these are the sizes of a 0-dim tensor, as <see cref="IsEmpty"/>.</summary>
        public readonly bool IsScalar => IsEmpty;

        /// <summary>Gets the number of sizes.</summary>
        public readonly int Length => Shape.Length;

        /// <summary>Gets the size of a dimension.</summary>
        /// <param name="idx">The dimension, from 0 on.</param>
        /// <value>The size.</value>
        public readonly long this[int idx] => Shape[idx];

        /// <summary>Gets the size of a dimension.</summary>
        /// <param name="idx">The dimension, from 0 on.</param>
        /// <value>The size.</value>
        public readonly long this[long idx] => Shape[idx];

        /// <summary>Returns the number of elements of a tensor with these sizes.</summary>
        /// <returns>The product of the sizes; 1 if there are none.</returns>
        public readonly long numel() => Shape.Aggregate(1L, (product, size) => product * size);

        /// <summary>Returns the first sizes.</summary>
        /// <param name="i">How many sizes to return.</param>
        /// <returns>At most as many sizes as there are.</returns>
        public readonly IEnumerable<long> Take(int i) => Shape.Take(i);

        /// <summary>Returns the sizes of a range of dimensions; negative indices count from the end.</summary>
        /// <param name="first">The first dimension.</param>
        /// <param name="next">The end, which is not included.</param>
        /// <returns>The sizes.</returns>
        public readonly Size Slice(int first, int next)
        {
            if (next < 0) next += Length;
            if (first < 0) first += Length;
            return next <= first ? Empty : new Size(Shape.Skip(first).Take(next - first));
        }

        /// <inheritdoc/>
        public readonly IEnumerator<long> GetEnumerator() => Shape.AsEnumerable().GetEnumerator();

        readonly IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        /// <summary>Returns whether both objects have the same array; as in TorchSharp, equal sizes are not enough.</summary>
        /// <param name="obj">The other object.</param>
        /// <returns>Whether it is a Size with the same array.</returns>
        public override readonly bool Equals(object? obj) => obj is Size other && this == other;

        /// <inheritdoc/>
        public override readonly int GetHashCode() => Shape.GetHashCode();

        /// <summary>Converts the size of a single dimension.</summary>
        /// <param name="size">The size.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size(long size) => new(size);

        /// <summary>Converts the sizes of two dimensions.</summary>
        /// <param name="size">The sizes.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size((long, long) size) => new(size);

        /// <summary>Converts the sizes of three dimensions.</summary>
        /// <param name="size">The sizes.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size((long, long, long) size) => new(size);

        /// <summary>Converts the sizes of four dimensions.</summary>
        /// <param name="size">The sizes.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size((long, long, long, long) size) => new(size);

        /// <summary>Converts the sizes of five dimensions.</summary>
        /// <param name="size">The sizes.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size((long, long, long, long, long) size) => new(size);

        /// <summary>Converts the sizes of six dimensions.</summary>
        /// <param name="size">The sizes.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size((long, long, long, long, long, long) size) => new(size);

        /// <summary>Converts the sizes in an array.</summary>
        /// <param name="size">The sizes, which are copied.</param>
        /// <returns>The sizes.</returns>
        public static implicit operator Size(long[] size) => new(size);

        /// <summary>Appends sizes to sizes.</summary>
        /// <param name="left">The first sizes.</param>
        /// <param name="right">The sizes that follow.</param>
        /// <returns>All sizes.</returns>
        public static Size operator +(Size left, Size right) => new(left.Concat(right));

        /// <summary>Appends a sequence of sizes to sizes.</summary>
        /// <param name="left">The first sizes.</param>
        /// <param name="right">The sizes that follow.</param>
        /// <returns>All sizes.</returns>
        public static Size operator +(Size left, IEnumerable<long> right) => new(left.Concat(right));

        /// <summary>Returns whether both Sizes have the same array; as in TorchSharp, equal sizes are not enough.</summary>
        /// <param name="left">The one Size.</param>
        /// <param name="right">The other Size.</param>
        /// <returns>Whether the arrays are the same object.</returns>
        public static bool operator ==(Size left, Size right) => left._shape == right._shape;

        /// <summary>Returns whether two Sizes have different arrays, even if the sizes are equal.</summary>
        /// <param name="left">The one Size.</param>
        /// <param name="right">The other Size.</param>
        /// <returns>Whether the arrays are different objects.</returns>
        public static bool operator !=(Size left, Size right) => !(left == right);
    }
}
