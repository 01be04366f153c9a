using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            /// <summary>
            /// Gets whether TorchSharp implements the module in native code. Its children are then not listed, but their parameters are.
            /// </summary>
            private protected virtual bool IsNative => false;

            /// <summary>Gets or sets the children of a Sequential; null for other modules.</summary>
            private protected SequentialItems? Items { get; set; }

            // The children that TorchSharp's members, such as named_children, return.
            private IEnumerable<(string Name, Module Module)> EnumeratedChildren => EntryType is null
                ? _internal_submodules.Entries
                : Components.Walk(this, () => Items?.Entries ?? RegisteredChildren, () => Items?.Known ?? _internal_submodules.Entries);

            /// <summary>Gets all children under their names in Python, which are unique.</summary>
            internal IReadOnlyList<(string Name, Module Module)> Children =>
                Items?.Named(_internal_submodules.Entries) ?? RegisteredChildren;

            private List<(string Name, Module Module)> RegisteredChildren
            {
                get
                {
                    if (EntryType is not null) Link?.RefreshEntries();
                    return _internal_submodules.Entries;
                }
            }

            /// <summary>Gets the C# and Python names of a Sequential's children, where they differ because a C# name repeats.</summary>
            internal IEnumerable<(string Name, string Other)> Renamed =>
                Items is null ? [] : Items.Entries.Zip(Children, (item, child) => (item.Name, child.Name))
                    .Where(names => names.Item1 != names.Item2);

            /// <summary>
            /// Gets this module and its descendants in PyTorch's order, depth first, each once. A Python module among the descendants is
            /// included without its own descendants.
            /// </summary>
            internal IEnumerable<Module> Tree => Walk(module => module.Children);

            /// <summary>Gets the modules of <see cref="Tree"/> as C# knows them, without asking Python.</summary>
            internal IEnumerable<Module> KnownTree => Walk(module => module.KnownChildren);

            /// <summary>Gets the children as C# knows them, without asking Python.</summary>
            internal IReadOnlyList<(string Name, Module Module)> KnownChildren =>
                Items is null ? _internal_submodules.Entries : [.. Items.Known, .. _internal_submodules.Entries];

            private IEnumerable<Module> Walk(Func<Module, IReadOnlyList<(string Name, Module Module)>> below)
            {
                var seen = new HashSet<Module>(ReferenceEqualityComparer.Instance);
                var stack = new Stack<Module>([this]);
                while (stack.TryPop(out var module))
                {
                    if (!seen.Add(module)) continue;
                    yield return module;
                    if (module.IsPythonProxy && module != this) continue;
                    var children = below(module);
                    for (var i = children.Count - 1; i >= 0; i--) stack.Push(children[i].Module);
                }
            }

            /// <summary>
            /// Returns the children by name; none for layers that TorchSharp implements natively (transformers, attention).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.named_children">
            /// torch.nn.Module.named_children</see>.
            /// </remarks>
            public virtual IEnumerable<(string name, Module module)> named_children() => IsNative ? [] : EnumeratedChildren;

            /// <summary>Returns the children without their names; none for layers that TorchSharp implements natively.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.children">
            /// torch.nn.Module.children</see>.
            /// </remarks>
            public virtual IEnumerable<Module> children() => named_children().Select(item => item.module);

            /// <summary>
            /// Returns the descendants in TorchSharp's order: the children, then the descendants of the first child, then those of the
            /// second, and so on. A shared module is returned under each of its paths. The descendants of layers that TorchSharp implements
            /// natively are not returned.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.named_modules">
            /// torch.nn.Module.named_modules</see>.
            /// </remarks>
            public virtual IEnumerable<(string name, Module module)> named_modules()
            {
                if (IsNative) yield break;
                foreach (var child in EnumeratedChildren) yield return child;
                foreach (var (path, child) in EnumeratedChildren)
                {
                    Nesting.Check();
                    foreach (var (name, module) in child.named_modules()) yield return (Join(path, name), module);
                }
            }

            /// <summary>Returns the descendants without their paths, in the order of <see cref="named_modules"/>.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.modules">
            /// torch.nn.Module.modules</see>.
            /// </remarks>
            public virtual IEnumerable<Module> modules() => named_modules().Select(item => item.module);

            /// <summary>
            /// Returns the parameters by path, the module's own first, a tied parameter only under its first path. A class derived from
            /// Sequential does not list its own. For a module that TorchSharp implements natively, <paramref name="recurse"/> has no
            /// effect: the descendants' parameters are included.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.named_parameters">
            /// torch.nn.Module.named_parameters</see>.
            /// </remarks>
            /// <param name="recurse">Whether to include descendants.</param>
            public virtual IEnumerable<(string name, Parameter parameter)> named_parameters(bool recurse = true) =>
                Distinct(_internal_params.Entries, recurse || IsNative, child => child.named_parameters());

            /// <summary>Returns the parameters without their paths, in the order of <see cref="named_parameters"/>.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.parameters">
            /// torch.nn.Module.parameters</see>.
            /// </remarks>
            /// <param name="recurse">Whether to include descendants.</param>
            public virtual IEnumerable<Parameter> parameters(bool recurse = true) =>
                named_parameters(recurse).Select(item => item.parameter);

            /// <summary>
            /// Returns the persistent buffers by path, the module's own first, a tied buffer only under its first path. A class
            /// derived from Sequential does not list its own.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.named_buffers">
            /// torch.nn.Module.named_buffers</see>.
            /// </remarks>
            /// <param name="recurse">Whether to include descendants.</param>
            /// <param name="include_nonpersistent">
            /// Without effect, as in TorchSharp: buffers that are not persistent are never listed.
            /// </param>
            public virtual IEnumerable<(string name, Tensor buffer)> named_buffers(bool recurse = true,
                bool include_nonpersistent = true) =>
                Distinct(OwnBuffers.Where(item => item.Persistent).Select(item => (item.Name, item.Value)), recurse, child =>
                    child.named_buffers(true, include_nonpersistent));

            /// <summary>Returns the persistent buffers without their paths, in the order of <see cref="named_buffers"/>.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.buffers">
            /// torch.nn.Module.buffers</see>.
            /// </remarks>
            /// <param name="recurse">Whether to include descendants.</param>
            /// <param name="include_nonpersistent">
            /// Without effect, as in TorchSharp: buffers that are not persistent are never listed.
            /// </param>
            public virtual IEnumerable<Tensor> buffers(bool recurse = true, bool include_nonpersistent = true) =>
                named_buffers(recurse, include_nonpersistent).Select(item => item.buffer);

            /// <summary>Returns the parameter under a path; null if there is none. A tied parameter has several paths.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.get_parameter">
            /// torch.nn.Module.get_parameter</see>.
            /// </remarks>
            /// <param name="target">The path, such as <c>"layer.weight"</c>.</param>
            public virtual Parameter? get_parameter(string target) =>
                _internal_params.TryGetValue(target, out var own)
                    ? own : Below(target).Select(item => item.Child.get_parameter(item.Path)).FirstOrDefault(found => found is not null);

            /// <summary>Returns the buffer under a path, persistent or not; null if there is none.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.get_buffer">
            /// torch.nn.Module.get_buffer</see>.
            /// </remarks>
            /// <param name="target">The path, such as <c>"layer.running_mean"</c>.</param>
            public virtual Tensor? get_buffer(string target) =>
                _internal_buffers.TryGetValue(target, out var own)
                    ? own.Item1 : Below(target).Select(item => item.Child.get_buffer(item.Path)).FirstOrDefault(found => found is not null);

            /// <summary>Tests whether there is a parameter under a path.</summary>
            /// <param name="target">The path, such as <c>"layer.weight"</c>.</param>
            /// <returns>Whether <see cref="get_parameter"/> finds it.</returns>
            public virtual bool has_parameter(string target) => get_parameter(target) is not null;

            /// <summary>Tests whether there is a buffer under a path.</summary>
            /// <param name="target">The path, such as <c>"layer.running_mean"</c>.</param>
            /// <returns>Whether <see cref="get_buffer"/> finds it.</returns>
            public virtual bool has_buffer(string target) => get_buffer(target) is not null;

            /// <summary>
            /// Returns parameters and persistent buffers by path. The order is TorchSharp's: all parameters, all persistent buffers, then,
            /// child by child, the further paths of tied tensors. A Sequential lists tied tensors under their first path only.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict">
            /// torch.nn.Module.state_dict</see>.
            /// </remarks>
            /// <param name="destination">The dictionary to add to; null for a new one.</param>
            /// <param name="prefix">The path of this module; null for the root.</param>
            public virtual Dictionary<string, Tensor> state_dict(Dictionary<string, Tensor>? destination = null, string? prefix = null)
            {
                Nesting.Check();
                destination ??= [];
                var path = prefix ?? "";
                foreach (var (name, parameter) in named_parameters()) destination.TryAdd(Join(path, name), parameter);
                foreach (var (name, buffer) in named_buffers(include_nonpersistent: false)) destination.TryAdd(Join(path, name), buffer);
                foreach (var (name, child) in _internal_submodules.Entries) child.state_dict(destination, Join(path, name));
                return destination;
            }

            /// <summary>Copies values into the module's parameters and persistent buffers.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict">
            /// torch.nn.Module.load_state_dict</see>.
            /// </remarks>
            /// <param name="source">Tensors by path. Each must have the shape of the module's tensor under this path.</param>
            /// <param name="strict">Whether missing and unexpected paths are an error.</param>
            /// <param name="skip">Paths to ignore.</param>
            /// <returns>The paths that <paramref name="source"/> lacks, and those that the module lacks.</returns>
            /// <exception cref="InvalidOperationException">
            /// Paths or shapes do not fit. The message lists all misfits. Nothing was copied.
            /// </exception>
            public virtual (IList<string> missing_keys, IList<string> unexpected_keyes) load_state_dict(
                Dictionary<string, Tensor> source, bool strict = true, IList<string>? skip = null)
            {
                skip ??= [];
                var own = state_dict();
                var missing = own.Keys.Where(key => !source.ContainsKey(key) && !skip.Contains(key)).ToList();
                var unexpected = source.Keys.Where(key => !own.ContainsKey(key) && !skip.Contains(key)).ToList();
                var common = own.Keys.Where(key => source.ContainsKey(key) && !skip.Contains(key)).ToList();
                var problems = common.Where(key => !own[key].Sizes.AsSpan().SequenceEqual(source[key].Sizes))
                    .Select(key =>
                        $"'{key}' has shape [{string.Join(", ", source[key].Sizes)}], the module's is "
                        + $"[{string.Join(", ", own[key].Sizes)}]").ToList();
                if (strict && missing.Count > 0) problems.Add("missing: " + string.Join(", ", missing));
                if (strict && unexpected.Count > 0) problems.Add("unexpected: " + string.Join(", ", unexpected));
                if (problems.Count > 0)
                    throw new InvalidOperationException("The state dict does not match, nothing was loaded: " + string.Join("; ", problems)
                        + ".");
                using var off = no_grad();
                foreach (var key in common) own[key].copy_(source[key]);
                return (missing, unexpected);
            }

            private IEnumerable<(string, T)> Distinct<T>(IEnumerable<(string Name, T Value)> own, bool recurse,
                Func<Module, IEnumerable<(string, T)>> below) where T : Tensor
            {
                Nesting.Check();
                var seen = new HashSet<T>(ReferenceEqualityComparer.Instance);
                // TorchSharp does not list the own tensors of a class derived from Sequential.
                if (Items is null)
                    foreach (var (name, value) in own)
                        if (!value.IsInvalid && seen.Add(value)) yield return (name, value);
                if (!recurse) yield break;
                foreach (var (path, child) in EnumeratedChildren)
                    foreach (var (name, value) in below(child))
                        if (seen.Add(value)) yield return (Join(path, name), value);
            }

            // Returns the children that have the first name of the path, each with the rest of the path.
            private IEnumerable<(Module Child, string Path)> Below(string path)
            {
                var dot = path.IndexOf('.', StringComparison.Ordinal);
                return dot < 0 ? [] : EnumeratedChildren.Where(item => item.Name.AsSpan().SequenceEqual(path.AsSpan(0, dot)))
                    .Select(item => (item.Module, path[(dot + 1)..]));
            }

            private static string Join(string path, string name) => path.Length == 0 ? name : path + "." + name;
        }
    }
}
