#nullable disable annotations // As in TorchSharp: overrides may return null without a compiler warning.

using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class autograd
    {
        /// <summary>The data that one application of a <see cref="Function{T}"/> keeps for <c>backward</c>.</summary>
        /// <remarks>
        /// With Python in the process, the context and its tensors live as long as that application's autograd graph. PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/autograd.html#context-method-mixins">torch.autograd.function.FunctionCtx</see>.
        /// </remarks>
        public class AutogradContext : IDisposable
        {
            private readonly Dictionary<string, object> _data = [];
            // Tensors in _data that were in a dispose scope and now belong to the context.
            private readonly List<Tensor> _owned = [];
            // The outputs that were given to save_data, as indices into PyTorch's saved tensors. A reference from the context to an output
            // would keep the graph alive forever.
            private readonly Dictionary<string, int> _outputs = [];
            private List<Tensor> _saved = [];
            private Func<object[]> _unpack;

            internal AutogradContext()
            {
            }

            /// <summary>Gets the tensors to save, with null for invalid ones, then the outputs given to <see cref="save_data"/>.</summary>
            internal List<Tensor> Saved { get; private set; } = [];

            internal Tensor[] Dirty { get; private set; } = [];

            internal Tensor[] NonDifferentiable { get; private set; } = [];

            internal IEnumerable<object> Data => _data.Values;

            /// <summary>Saves tensors and nulls for <c>backward</c>. Only the last call in <c>forward</c> has an effect.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.save_for_backward.html">
            /// FunctionCtx.save_for_backward</see>.
            /// </remarks>
            /// <param name="tensors">The inputs or outputs to save, and null or an invalid tensor to leave a place empty.</param>
            public void save_for_backward(List<Tensor> tensors) => _saved = tensors;

            /// <summary>
            /// Stores a value under a name. For tensors, use <see cref="save_for_backward"/>, which detects in-place changes.
            /// </summary>
            /// <param name="key">The name; a value that is stored under it already is replaced.</param>
            /// <param name="value">The value, of any type.</param>
            public void save_data(string key, object value)
            {
                _outputs.Remove(key);
                _data[key] = value;
            }

            /// <summary>Declares the inputs that <c>forward</c> changes in place. Only the last call has an effect.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_dirty.html">
            /// FunctionCtx.mark_dirty</see>.
            /// </remarks>
            /// <param name="tensors">The changed inputs, which <c>forward</c> must return.</param>
            public void mark_dirty(List<Tensor> tensors) => Dirty = [.. tensors];

            /// <summary>Declares the outputs that need no gradient. Only the last call has an effect.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_non_differentiable.html">
            /// FunctionCtx.mark_non_differentiable</see>.
            /// </remarks>
            /// <param name="tensors">The outputs.</param>
            public void mark_non_differentiable(List<Tensor> tensors) => NonDifferentiable = [.. tensors];

            /// <summary>
            /// Sets what <c>backward</c> gets as the gradient of an output that has none: zeros if the value is true (the default), else an
            /// invalid tensor.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.set_materialize_grads.html">
            /// FunctionCtx.set_materialize_grads</see>.
            /// </remarks>
            /// <param name="value">Whether such a gradient is a tensor of zeros.</param>
            public void set_materialize_grads(bool value) => MaterializeGrads = value;

            /// <summary>Gets whether <c>backward</c> gets zeros as the gradient of an output that has none.</summary>
            public bool MaterializeGrads { get; private set; } = true;

            /// <summary>Returns the saved tensors and nulls in order. Returns an empty list while <c>forward</c> runs.</summary>
            /// <exception cref="Exception">
            /// PyTorch's error: a saved tensor was changed in place, or a backward pass without <c>retain_graph</c> has freed it.
            /// </exception>
            public List<Tensor> get_saved_variables() =>
                _unpack is null ? [] : [.. _unpack().Take(_saved.Count).Cast<Tensor>()];

            /// <summary>Returns the value under a name; null if there is none.</summary>
            /// <param name="key">The name that was given to <see cref="save_data"/>.</param>
            public object get_data(string key) =>
                _unpack is not null && _outputs.TryGetValue(key, out var index)
                    ? _unpack().ElementAtOrDefault(index) : _data.GetValueOrDefault(key);

            /// <summary>
            /// Removes the values that <see cref="save_data"/> stored, except outputs, and disposes the tensors that the context owns.
            /// </summary>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>Releases the values and tensors of the context.</summary>
            /// <param name="disposing">Whether <see cref="Dispose()"/> was called; if false, nothing is done.</param>
            protected virtual void Dispose(bool disposing)
            {
                if (!disposing) return;
                foreach (var tensor in _owned) tensor.Dispose();
                _owned.Clear();
                _data.Clear();
            }

            /// <summary>Returns whether the context disposes the tensor.</summary>
            internal bool Owns(Tensor tensor) => _owned.Any(own => ReferenceEquals(own, tensor));

            /// <summary>Ends <c>forward</c>: collects the tensors to save, and detaches stored tensors from the dispose scope.</summary>
            internal void Close(IReadOnlyCollection<Tensor> outputs)
            {
                Saved = [.. _saved.Select(tensor => tensor is { IsInvalid: false } ? tensor : null)];
                foreach (var (key, value) in _data.ToArray())
                {
                    if (value is not Tensor tensor)
                    {
                        ReachableTensors.Detach(value);
                    }
                    else if (outputs.Any(output => output is not null && output.IsSame(tensor)))
                    {
                        _data.Remove(key);
                        _outputs[key] = Saved.Count;
                        Saved.Add(tensor);
                    }
                    else if (tensor.Leave())
                    {
                        _owned.Add(tensor);
                    }
                }
            }

            /// <summary>Makes the context read saved tensors from PyTorch from now on.</summary>
            internal void Open(Func<object[]> unpack) => (_unpack, Saved, Dirty, NonDifferentiable) = (unpack, [], [], []);
        }
    }
}
