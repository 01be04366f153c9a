using System.Runtime.CompilerServices;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Indexing by PyTorch's rules.</summary>
    public partial class Tensor
    {
        [IndexerName("TensorItems")]
        public Tensor this[params TensorIndex[] indices]
        {
            get => index(indices);
            set => Assign(indices, value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[params Tensor[] indices]
        {
            get => index(indices);
            set => Assign(Indices(indices), value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[long i1]
        {
            get => select(0, i1);
            set => Assign([i1], value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2]
        {
            get => index([(TensorIndex)i1, i2]);
            set => Assign([i1, i2], value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3]
        {
            get => index([(TensorIndex)i1, i2, i3]);
            set => Assign([i1, i2, i3], value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3, long i4]
        {
            get => index([(TensorIndex)i1, i2, i3, i4]);
            set => Assign([i1, i2, i3, i4], value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3, long i4, long i5]
        {
            get => index([(TensorIndex)i1, i2, i3, i4, i5]);
            set => Assign([i1, i2, i3, i4, i5], value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[long i1, long i2, long i3, long i4, long i5, long i6]
        {
            get => index([(TensorIndex)i1, i2, i3, i4, i5, i6]);
            set => Assign([i1, i2, i3, i4, i5, i6], value);
        }

        [IndexerName("TensorItems")]
        public Tensor this[params long[] indices]
        {
            get => index(Array.ConvertAll(indices, at => (TensorIndex)at));
            set => Assign(Array.ConvertAll(indices, at => (TensorIndex)at), value);
        }

        public Tensor index(params TensorIndex[] indices)
        {
            var (view, picks) = ApplyViews(indices);
            if (picks is null) return ReferenceEquals(view, this) ? View() : view;
            var result = view.Picked(picks);
            if (!ReferenceEquals(view, this)) view.Dispose();
            return result;
        }

        public Tensor index(params Tensor[] indices) => index(Indices(indices));

        public Tensor index_put_(Tensor value, params TensorIndex[] indices) => index_put_(value, indices, false);

        public Tensor index_put_(Tensor value, TensorIndex[] indices, bool accumulate = false)
        {
            var (view, picks) = ApplyViews(indices);
            if (picks is not null) view.Put_(picks, value, accumulate);
            else if (accumulate) view.add_(value);
            else view.copy_(value);
            if (!ReferenceEquals(view, this)) view.Dispose();
            return this;
        }

        public Tensor index_put_(Tensor value, params Tensor[] indices) => index_put_(value, Indices(indices), false);

        public Tensor index_put_(Tensor value, Tensor[] indices, bool accumulate = false) =>
            index_put_(value, Indices(indices), accumulate);

        public Tensor index_put_(Scalar value, params TensorIndex[] indices)
        {
            using var number = ToTensor(value);
            return index_put_(number, indices, false);
        }

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
        /// mask or a tensor with dimensions, only a 0-dim value is converted.
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
                throw new IndexOutOfRangeException($"too many indices: the tensor has {dim()} dimensions, {taken} were indexed.");
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
