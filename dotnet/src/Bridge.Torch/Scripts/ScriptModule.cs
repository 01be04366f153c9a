using Bridge.Hooks;
using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class jit
    {
        /// <summary>
        /// A module in TorchScript, which Python runs. Its parameters and buffers are TorchScript's own tensors, so changes of them
        /// by an optimizer or by <c>to</c> take effect. Its children are modules in TorchScript, too.
        /// </summary>
        /// <remarks>
        /// <c>call</c> runs the module's hooks, <c>forward</c> and <c>invoke</c> do not. As in PyTorch, TorchScript's code runs no hooks of
        /// the module's children. In a model that Python has loaded, the mirror of this module has the same parameters, buffers and hooks.
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.jit.ScriptModule.html">torch.jit.ScriptModule</see>.
        /// </remarks>
        public partial class ScriptModule : nn.Module, IHookTarget<object?[], object?>
        {
            private readonly ScriptReference _script;
            private readonly ForwardParameter[] _inputs;
            private readonly int _outputs;
            private readonly bool _replacesTensors;
            private readonly int _size;

            internal ScriptModule(ScriptDescription description) : base(description.Name)
            {
                _script = new(description.Number, GetType().Name);
                (_inputs, _outputs, _replacesTensors) = (description.Inputs, description.Outputs, description.ReplacesTensors);
                // The parameter takes over the handle: it is TorchScript's own tensor.
                foreach (var (name, tensor) in description.Parameters) register_parameter(name, new(tensor, requires_grad: false));
                foreach (var (name, tensor, persistent) in description.Buffers) register_buffer(name, tensor, persistent);
                foreach (var (name, child) in description.Children) register_module(name, new ScriptModule(child));
                SetTrainingFromPython(description.IsTraining);
                _size = KnownTree.Count();
            }

            /// <inheritdoc/>
            public override bool training => base.training;

            internal override bool HasCall => true;

            internal override IReadOnlyList<ForwardParameter> Parameters => _inputs;

            /// <summary>Returns the number of arguments of <c>forward</c>.</summary>
            public int GetNumberOfInputs() => _inputs.Length;

            /// <summary>Returns the number of results of <c>forward</c>; a tuple counts as one.</summary>
            public int GetNumberOfOutputs() => _outputs;

            /// <inheritdoc/>
            protected override (string name, Parameter parameter)[] _named_parameters() => base._named_parameters();

            /// <inheritdoc/>
            protected override (string name, Tensor buffer)[] _named_buffers() => base._named_buffers();

            /// <inheritdoc/>
            public override IEnumerable<(string name, nn.Module module)> named_modules() => base.named_modules();

            /// <inheritdoc/>
            public override IEnumerable<(string name, nn.Module module)> named_children() => base.named_children();

            /// <summary>Returns parameters, then persistent buffers. Other attributes are left out.</summary>
            /// <param name="recurse">Whether to include descendants.</param>
            public (string name, Tensor buffer)[] named_attributes(bool recurse = true) =>
                [.. named_parameters(recurse).Select(item => (item.name, (Tensor)item.parameter)), .. named_buffers(recurse)];

            /// <summary>Sets an attribute that is a tensor.</summary>
            /// <param name="name">The attribute's name.</param>
            /// <param name="buffer">The tensor.</param>
            /// <exception cref="InvalidOperationException">
            /// The attribute is a parameter or buffer, and the module is part of a model that Python has loaded: set it in Python.
            /// </exception>
            /// <exception cref="ArgumentNullException">The tensor is null.</exception>
            /// <exception cref="Exception">Python's AttributeError: the module has no such attribute.</exception>
            public void set_attribute(string name, Tensor buffer)
            {
                ArgumentNullException.ThrowIfNull(buffer);
                var (isParameter, isBuffer) = (_internal_params.ContainsKey(name), _internal_buffers.ContainsKey(name));
                if (isParameter || isBuffer) CheckMayChange(isParameter ? "parameter" : "buffer", name);
                Run("set_attribute", name, buffer);
                if (isParameter) _internal_params[name] = (Parameter)new Parameter(buffer.alias(), false).DetachFromDisposeScope();
                if (isBuffer) _internal_buffers[name] = (buffer, _internal_buffers[name].Item2);
                if (isBuffer) buffer.DetachFromDisposeScope();
            }

            /// <inheritdoc/>
            public override void train(bool on = true)
            {
                base.train(on);
                // TorchScript gets the training flag of a mirrored module at the next run.
                if (Link is null) Run("set_training", on);
            }

            /// <inheritdoc/>
            public override void eval() => base.eval();

            /// <inheritdoc/>
            public override void zero_grad(bool set_to_none = true) => base.zero_grad(set_to_none);

            /// <inheritdoc/>
            protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) =>
                base._to(device, dtype, non_blocking);

            /// <inheritdoc/>
            protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) =>
                base._to(deviceType, deviceIndex, non_blocking);

            /// <inheritdoc/>
            protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => base._to(dtype, non_blocking);

            /// <summary>Converts the module's tensors in place, so that TorchScript has the converted ones, too.</summary>
            /// <param name="dtype">The element type.</param>
            /// <param name="non_blocking">Whether copies from and to page-locked memory may still run when this method returns.</param>
            protected void _toScriptEpilog(ScalarType dtype, bool non_blocking) => _toEpilog(dtype, non_blocking);

            /// <inheritdoc cref="_toScriptEpilog(ScalarType, bool)"/>
            protected void _toScriptEpilog(Device device, ScalarType dtype, bool non_blocking) => _toEpilog(device, dtype, non_blocking);

            /// <inheritdoc cref="_toScriptEpilog(ScalarType, bool)"/>
            protected void _toScriptEpilog(DeviceType deviceType, int deviceIndex, bool non_blocking) =>
                _toEpilog(deviceType, deviceIndex, non_blocking);

            /// <inheritdoc/>
            protected override void Dispose(bool disposing)
            {
                base.Dispose(disposing);
                if (disposing && Link is null) _script.Dispose();
            }

            internal void Save(string filename) => Run("save", Path.GetFullPath(filename), Given());

            private object? Run(string function, params object?[] arguments) =>
                PythonScripts.Require(nameof(ScriptModule)).Run(function, [_script.Number, .. arguments]);

            /// <summary>
            /// Returns C#'s tensors and training flags, which TorchScript gets before a run. Tensors that its code replaces are put back
            /// after the run. The array is empty if TorchScript has them all already and its code replaces no tensors.
            /// </summary>
            private object?[] Given()
            {
                if (Link is null && !_replacesTensors) return [];
                var tree = Tree.ToList();
                if (tree.Count != _size || !tree.TrueForAll(module => module is ScriptModule { Link: not { RunsInPython: true } }))
                    throw new InvalidOperationException(
                        $"A module in the TorchScript module {GetName()} was replaced or removed in Python, but TorchScript's code is "
                        + "compiled with the original module.");
                return tree.Cast<ScriptModule>().Select(module => (object?)new object?[]
                {
                    module._script.Number, module.training,
                    module.OwnTensors.Select(item => (object?)new object?[] { item.Name, item.Tensor }).ToArray(),
                }).ToArray();
            }
        }
    }
}
