using System.Collections;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>The sizes of a tensor.</summary>
    public struct Size : IEnumerable<long>
    {
        public static Size Empty = new(System.Array.Empty<long>());

        private readonly long[]? _shape;

        public Size(long[] shape) => _shape = (long[])shape.Clone();

        public Size(IEnumerable<long> shape) => _shape = shape.ToArray();

        public Size(int[] shape) => _shape = shape.Select(size => (long)size).ToArray();

        public Size(long size) => _shape = [size];

        public Size((long, long) size) => _shape = [size.Item1, size.Item2];

        public Size((long, long, long) size) => _shape = [size.Item1, size.Item2, size.Item3];

        public Size((long, long, long, long) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4];

        public Size((long, long, long, long, long) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5];

        public Size((long, long, long, long, long, long) size) =>
            _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5, size.Item6];

        public Size(int size) => _shape = [size];

        public Size((int, int) size) => _shape = [size.Item1, size.Item2];

        public Size((int, int, int) size) => _shape = [size.Item1, size.Item2, size.Item3];

        public Size((int, int, int, int) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4];

        public Size((int, int, int, int, int) size) => _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5];

        public Size((int, int, int, int, int, int) size) =>
            _shape = [size.Item1, size.Item2, size.Item3, size.Item4, size.Item5, size.Item6];

        public readonly long[] Shape => _shape ?? [];

        public readonly bool IsEmpty => Shape.Length == 0;

        public readonly bool IsScalar => IsEmpty;

        public readonly int Length => Shape.Length;

        public readonly long this[int idx] => Shape[idx];

        public readonly long this[long idx] => Shape[idx];

        public readonly long numel() => Shape.Aggregate(1L, (product, size) => product * size);

        public readonly IEnumerable<long> Take(int i) => Shape.Take(i);

        /// <summary>Returns the sizes in [first, next); negative indices count from the end.</summary>
        public readonly Size Slice(int first, int next)
        {
            if (next < 0) next += Length;
            if (first < 0) first += Length;
            return next <= first ? Empty : new Size(Shape.Skip(first).Take(next - first));
        }

        public readonly IEnumerator<long> GetEnumerator() => Shape.AsEnumerable().GetEnumerator();

        readonly IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        /// <summary>Returns whether both Sizes have the same array object. As in TorchSharp, equal sizes are not enough.</summary>
        public override readonly bool Equals(object? obj) => obj is Size other && this == other;

        public override readonly int GetHashCode() => Shape.GetHashCode();

        public static implicit operator Size(long size) => new(size);

        public static implicit operator Size((long, long) size) => new(size);

        public static implicit operator Size((long, long, long) size) => new(size);

        public static implicit operator Size((long, long, long, long) size) => new(size);

        public static implicit operator Size((long, long, long, long, long) size) => new(size);

        public static implicit operator Size((long, long, long, long, long, long) size) => new(size);

        public static implicit operator Size(long[] size) => new(size);

        public static Size operator +(Size left, Size right) => new(left.Concat(right));

        public static Size operator +(Size left, IEnumerable<long> right) => new(left.Concat(right));

        public static bool operator ==(Size left, Size right) => left._shape == right._shape;

        public static bool operator !=(Size left, Size right) => !(left == right);
    }
}
