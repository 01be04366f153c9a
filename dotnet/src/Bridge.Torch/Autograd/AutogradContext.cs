#nullable disable annotations // as TorchSharp's: who derives from a function is not warned about nulls, which are allowed

using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class autograd
    {
        /// <summary>The data that one application of a <see cref="Function{T}"/> keeps for its backward.</summary>
        /// <remarks>The context lives as long as the graph of the application, and so do its tensors.</remarks>
        public class AutogradContext : IDisposable
        {
            private readonly Dictionary<string, object> _data = [];
            // Tensors of the data that were in a scope and now belong to the context.
            private readonly List<Tensor> _owned = [];
            // The positions of outputs among the data: PyTorch saves them, since a reference from the context would keep the graph alive
            // forever.
            private readonly Dictionary<string, int> _outputs = [];
            private List<Tensor> _saved = [];
            private Func<object[]> _unpack;

            internal AutogradContext()
            {
            }

            /// <summary>Gets the tensors to save, null for undefined ones; then the outputs among the data.</summary>
            internal List<Tensor> Saved { get; private set; } = [];

            internal Tensor[] Dirty { get; private set; } = [];

            internal Tensor[] NonDifferentiable { get; private set; } = [];

            /// <summary>Gets the data, which may contain tensors.</summary>
            internal IEnumerable<object> Data => _data.Values;

            /// <summary>Saves tensors for backward, null among them too. Call it in <c>forward</c>; the last call counts.</summary>
            public void save_for_backward(List<Tensor> tensors) => _saved = tensors;

            /// <summary>
            /// Keeps a value under a name. A tensor should be saved by <see cref="save_for_backward"/>, which notices if it is changed in
            /// place meanwhile.
            /// </summary>
            public void save_data(string key, object value)
            {
                _outputs.Remove(key);
                _data[key] = value;
            }

            /// <summary>Inputs that <c>forward</c> changes in place. The last call counts.</summary>
            public void mark_dirty(List<Tensor> tensors) => Dirty = [.. tensors];

            /// <summary>Outputs that need no gradient. The last call counts.</summary>
            public void mark_non_differentiable(List<Tensor> tensors) => NonDifferentiable = [.. tensors];

            /// <summary>Whether backward gets zeros (as it does by default) or invalid tensors for outputs without a gradient.</summary>
            public void set_materialize_grads(bool value) => MaterializeGrads = value;

            public bool MaterializeGrads { get; private set; } = true;

            /// <summary>What was saved, in order, null where null was. Empty while <c>forward</c> runs.</summary>
            /// <exception cref="Exception">
            /// PyTorch's: a tensor was changed in place since, or a backward without <c>retain_graph</c> has freed them.
            /// </exception>
            public List<Tensor> get_saved_variables() =>
                _unpack is null ? [] : [.. _unpack().Take(_saved.Count).Cast<Tensor>()];

            /// <summary>The value under a name, or null.</summary>
            public object get_data(string key) =>
                _unpack is not null && _outputs.TryGetValue(key, out var place)
                    ? _unpack().ElementAtOrDefault(place) : _data.GetValueOrDefault(key);

            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            protected virtual void Dispose(bool disposing)
            {
                if (!disposing) return;
                foreach (var tensor in _owned) tensor.Dispose();
                _owned.Clear();
                _data.Clear();
            }

            /// <summary>Returns whether the context disposes the tensor.</summary>
            internal bool Owns(Tensor tensor) => _owned.Any(own => ReferenceEquals(own, tensor));

            /// <summary>Detaches the kept tensors from the scope of the <c>forward</c> that has ended.</summary>
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
