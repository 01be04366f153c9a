using System.Runtime.CompilerServices;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    // Indexing by PyTorch's rules.
    public partial class Tensor
    {
        /// <summary>Gets or sets the elements at indices, by PyTorch's rules.</summary>
        /// <remarks>
        /// An assigned value is converted to the type of this tensor. If an index is a mask, a tensor with dimensions, or a boolean beside
        /// other indices, only a value without dimensions is converted. PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="indices">Numbers, slices, tensors, booleans, new dimensions or an ellipsis.</param>
        /// <value>A view, or a copy if an index is a boolean, a mask or a tensor with dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        /// <exception cref="ArgumentException">The step of a slice is less than 1.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[params TensorIndex[] indices]
        {
            get => index(indices);
            set => Assign(indices, value);
        }

        /// <summary>Gets or sets the elements at indices that are tensors.</summary>
        /// <param name="indices">Indices along the first dimensions, as integers, or masks, as booleans or bytes.</param>
        /// <value>A view, or a copy if an index is a mask or a tensor with dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[params Tensor[] indices]
        {
            get => index(indices);
            set => Assign(Indices(indices), value);
        }

        /// <summary>Gets or sets the elements at an index of the first dimension.</summary>
        /// <param name="i1">The index along the first dimension; a negative one counts from the end.</param>
        /// <value>A view without the dimension.</value>
        [IndexerName("TensorItems")]
        public Tensor this[long i1]
        {
            get => select(0, i1);
            set => Assign([i1], value);
        }

        /// <summary>Gets or sets the elements at indices of the first two dimensions.</summary>
        /// <param name="i1">The index along the first dimension; a negative one counts from the end.</param>
        /// <param name="i2">The index along the second dimension; a negative one counts from the end.</param>
        /// <value>A view without the dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2]
        {
            get => index([(TensorIndex)i1, i2]);
            set => Assign([i1, i2], value);
        }

        /// <summary>Gets or sets the elements at indices of the first three dimensions.</summary>
        /// <param name="i1">The index along the first dimension; a negative one counts from the end.</param>
        /// <param name="i2">The index along the second dimension; a negative one counts from the end.</param>
        /// <param name="i3">The index along the third dimension; a negative one counts from the end.</param>
        /// <value>A view without the dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3]
        {
            get => index([(TensorIndex)i1, i2, i3]);
            set => Assign([i1, i2, i3], value);
        }

        /// <summary>Gets or sets the elements at indices of the first four dimensions.</summary>
        /// <param name="i1">The index along the first dimension; a negative one counts from the end.</param>
        /// <param name="i2">The index along the second dimension; a negative one counts from the end.</param>
        /// <param name="i3">The index along the third dimension; a negative one counts from the end.</param>
        /// <param name="i4">The index along the fourth dimension; a negative one counts from the end.</param>
        /// <value>A view without the dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3, long i4]
        {
            get => index([(TensorIndex)i1, i2, i3, i4]);
            set => Assign([i1, i2, i3, i4], value);
        }

        /// <summary>Gets or sets the elements at indices of the first five dimensions.</summary>
        /// <param name="i1">The index along the first dimension; a negative one counts from the end.</param>
        /// <param name="i2">The index along the second dimension; a negative one counts from the end.</param>
        /// <param name="i3">The index along the third dimension; a negative one counts from the end.</param>
        /// <param name="i4">The index along the fourth dimension; a negative one counts from the end.</param>
        /// <param name="i5">The index along the fifth dimension; a negative one counts from the end.</param>
        /// <value>A view without the dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3, long i4, long i5]
        {
            get => index([(TensorIndex)i1, i2, i3, i4, i5]);
            set => Assign([i1, i2, i3, i4, i5], value);
        }

        /// <summary>Gets or sets the elements at indices of the first six dimensions.</summary>
        /// <param name="i1">The index along the first dimension; a negative one counts from the end.</param>
        /// <param name="i2">The index along the second dimension; a negative one counts from the end.</param>
        /// <param name="i3">The index along the third dimension; a negative one counts from the end.</param>
        /// <param name="i4">The index along the fourth dimension; a negative one counts from the end.</param>
        /// <param name="i5">The index along the fifth dimension; a negative one counts from the end.</param>
        /// <param name="i6">The index along the sixth dimension; a negative one counts from the end.</param>
        /// <value>A view without the dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3, long i4, long i5, long i6]
        {
            get => index([(TensorIndex)i1, i2, i3, i4, i5, i6]);
            set => Assign([i1, i2, i3, i4, i5, i6], value);
        }

        /// <summary>Gets or sets the elements at indices of the first dimensions.</summary>
        /// <param name="indices">The indices; negative ones count from the end.</param>
        /// <value>A view without the dimensions.</value>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        [IndexerName("TensorItems")]
        public Tensor this[params long[] indices]
        {
            get => index(Array.ConvertAll(indices, at => (TensorIndex)at));
            set => Assign(Array.ConvertAll(indices, at => (TensorIndex)at), value);
        }

        /// <summary>Returns the elements at indices, by PyTorch's rules.</summary>
        /// <param name="indices">Numbers, slices, tensors, booleans, new dimensions or an ellipsis.</param>
        /// <returns>A view, or a copy if an index is a boolean, a mask or a tensor with dimensions.</returns>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        /// <exception cref="ArgumentException">The step of a slice is less than 1.</exception>
        public Tensor index(params TensorIndex[] indices)
        {
            var (view, picks) = ApplyViews(indices);
            if (picks is null) return ReferenceEquals(view, this) ? View() : view;
            var result = view.Picked(picks);
            if (!ReferenceEquals(view, this)) view.Dispose();
            return result;
        }

        /// <summary>Returns the elements at indices that are tensors.</summary>
        /// <param name="indices">Indices along the first dimensions, as integers, or masks, as booleans or bytes.</param>
        /// <returns>A view, or a copy if an index is a mask or a tensor with dimensions.</returns>
        public Tensor index(params Tensor[] indices) => index(Indices(indices));

        /// <summary>Overwrites the elements at indices, by PyTorch's rules.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="value">The new elements, which are broadcast.</param>
        /// <param name="indices">Numbers, slices, tensors, booleans, new dimensions or an ellipsis.</param>
        /// <returns>This tensor.</returns>
        public Tensor index_put_(Tensor value, params TensorIndex[] indices) => index_put_(value, indices, false);

        /// <summary>Overwrites the elements at indices, or adds to them.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="value">The elements, which are broadcast.</param>
        /// <param name="indices">Numbers, slices, tensors, booleans, new dimensions or an ellipsis.</param>
        /// <param name="accumulate">Whether to add rather than to overwrite.</param>
        /// <returns>This tensor.</returns>
        /// <exception cref="IndexOutOfRangeException">There are more indices than dimensions.</exception>
        /// <exception cref="ArgumentException">The step of a slice is less than 1.</exception>
        public Tensor index_put_(Tensor value, TensorIndex[] indices, bool accumulate = false)
        {
            var (view, picks) = ApplyViews(indices);
            if (picks is not null) view.Put_(picks, value, accumulate);
            else if (accumulate) view.add_(value);
            else view.copy_(value);
            if (!ReferenceEquals(view, this)) view.Dispose();
            return this;
        }

        /// <summary>Overwrites the elements at indices, by PyTorch's rules.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="value">The new elements, which are broadcast.</param>
        /// <param name="indices">Indices along the first dimensions, as integers, or masks, as booleans or bytes.</param>
        /// <returns>This tensor.</returns>
        public Tensor index_put_(Tensor value, params Tensor[] indices) => index_put_(value, Indices(indices), false);

        /// <summary>Overwrites the elements at indices, or adds to them.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="value">The elements, which are broadcast.</param>
        /// <param name="indices">Indices along the first dimensions, as integers, or masks, as booleans or bytes.</param>
        /// <param name="accumulate">Whether to add rather than to overwrite.</param>
        /// <returns>This tensor.</returns>
        public Tensor index_put_(Tensor value, Tensor[] indices, bool accumulate = false) =>
            index_put_(value, Indices(indices), accumulate);

        /// <summary>Overwrites the elements at indices with a number, by PyTorch's rules.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="value">The number.</param>
        /// <param name="indices">Numbers, slices, tensors, booleans, new dimensions or an ellipsis.</param>
        /// <returns>This tensor.</returns>
        public Tensor index_put_(Scalar value, params TensorIndex[] indices)
        {
            using var number = ToTensor(value);
            return index_put_(number, indices, false);
        }

        /// <summary>Overwrites the elements at indices with a number, by PyTorch's rules.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html">torch.Tensor.index_put_</see>.
        /// </remarks>
        /// <param name="value">The number.</param>
        /// <param name="indices">Indices along the first dimensions, as integers, or masks, as booleans or bytes.</param>
        /// <returns>This tensor.</returns>
        public Tensor index_put_(Scalar value, params Tensor[] indices) => index_put_(value, Indices(indices));

        /// <summary>Converts a number to this tensor's type and device, as an assignment does.</summary>
        private Tensor ToTensor(Scalar value)
        {
            using var number = Of(value);
            return number.to(dtype, device, copy: true);
        }

        private static TensorIndex[] Indices(Tensor[] indices) => Array.ConvertAll(indices, TensorIndex.Tensor);

        /// <summary>
        /// Assigns a value, without its leading dimensions of size 1. The value is converted to this tensor's type. But if an index is a
        /// mask, a tensor with dimensions, or a boolean beside other indices, only a 0-dim value is converted.
        /// </summary>
        private void Assign(TensorIndex[] indices, Tensor value)
        {
            if (indices is [{ What: TensorIndex.Kind.Bool, Start: var all }])
            {
                if (all == 0) return;
                indices = [];
            }

            var (view, picks) = ApplyViews(indices);
            using var scope = NewDisposeScope();
            if (picks is not null)
                view.Put_(picks, value.dim() == 0 ? value.to(view.dtype, view.device) : DropLeadingOnes(value), accumulate: false);
            else view.copy_(DropLeadingOnes(value));
            if (!ReferenceEquals(view, this)) view.Dispose();
        }

        private static Tensor DropLeadingOnes(Tensor value)
        {
            var sizes = value.Sizes;
            var first = 0;
            while (first < sizes.Length && sizes[first] == 1) first++;
            return first == 0 ? value : value.view(sizes[first..]);
        }

        /// <summary>
        /// Applies the indices that give a view. Returns the view, and the other indices as <c>aten::index</c> takes them; null if there
        /// are no others.
        /// </summary>
        private (Tensor View, Tensor?[]? Picks) ApplyViews(TensorIndex[] indices)
        {
            var taken = 0;
            foreach (var index in indices)
                taken += index.What is TensorIndex.Kind.NewDimension or TensorIndex.Kind.Ellipsis or TensorIndex.Kind.Bool
                    ? 0 : index.Values is { } values && IsMask(values) ? (int)values.dim() : 1;
            if (taken > dim())
                throw new IndexOutOfRangeException(
                    $"too many indices: the tensor has {Phrases.Plural(dim(), "dimension")}, {taken} were indexed.");
            var (view, at, covered, picks) = (this, 0L, 0L, new List<Tensor?>());
            foreach (var index in indices)
            {
                switch (index.What)
                {
                    case TensorIndex.Kind.Single:
                        Next(view.select(at, index.Start!.Value));
                        break;
                    case TensorIndex.Kind.Slice:
                        if (index.Step <= 0) throw new ArgumentException("The step of a slice must be greater than zero.");
                        if ((index.Start ?? 0) != 0 || (index.Step ?? 1) != 1 || (index.Stop is { } stop && stop != view.size((int)at)))
                            Next(view.slice(at, index.Start ?? 0, index.Stop ?? long.MaxValue, index.Step ?? 1));
                        at++;
                        break;
                    case TensorIndex.Kind.NewDimension:
                        Next(view.unsqueeze(at++));
                        break;
                    case TensorIndex.Kind.Ellipsis:
                        at += dim() - taken;
                        break;
                    case TensorIndex.Kind.Bool:
                        Next(view.unsqueeze(at));
                        Pick(index.Start != 0 ? torch.zeros([1], ScalarType.Int64, device) : torch.empty([0], ScalarType.Int64, device));
                        break;
                    default:
                        var values = index.Values!;
                        if (values.dim() > 0)
                        {
                            Pick(values);
                        }
                        else if (IsMask(values))
                        {
                            Next(view.unsqueeze(at));
                            Pick(values.unsqueeze(0));
                        }
                        else
                        {
                            Next(view.select(at, values.ToInt64()));
                        }

                        break;
                }
            }

            return (view, picks.Count == 0 ? null : [.. picks]);

            void Next(Tensor next)
            {
                if (!ReferenceEquals(view, this)) view.Dispose();
                view = next;
            }

            void Pick(Tensor values)
            {
                for (; covered < at; covered++) picks.Add(null);
                picks.Add(values);
                at = covered += IsMask(values) ? values.dim() : 1; // a mask covers as many dimensions as it has
            }
        }

        private static bool IsMask(Tensor values) => values.dtype is ScalarType.Bool or ScalarType.Byte;
    }
}
