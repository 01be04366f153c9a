using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            public virtual IEnumerable<(string name, Module module)> named_children() => _internal_submodules.Entries;

            public virtual IEnumerable<Module> children() => named_children().Select(item => item.module);

            /// <summary>Every module from this one (path "") down, depth first, each once under its first path (PyTorch's order; TS-named_modules).</summary>
            public virtual IEnumerable<(string name, Module module)> named_modules()
            {
                var seen = new HashSet<Module>(ReferenceEqualityComparer.Instance);
                var stack = new Stack<(string, Module)>();
                stack.Push(("", this));
                while (stack.TryPop(out var item))
                {
                    var (path, module) = item;
                    if (!seen.Add(module)) continue;
                    yield return (path, module);
                    foreach (var (name, child) in module.named_children().Reverse()) stack.Push((Join(path, name), child));
                }
            }

            public virtual IEnumerable<Module> modules() => named_modules().Select(item => item.module);

            /// <summary>Parameters, own ones first, a tied one once under its first path.</summary>
            public virtual IEnumerable<(string name, Parameter parameter)> named_parameters(bool recurse = true) =>
                Distinct(recurse, module => module._internal_params.Entries);

            public virtual IEnumerable<Parameter> parameters(bool recurse = true) => named_parameters(recurse).Select(item => item.parameter);

            public virtual IEnumerable<(string name, Tensor buffer)> named_buffers(bool recurse = true, bool include_nonpersistent = true) =>
                Distinct(recurse, module => module.OwnBuffers.Where(item => include_nonpersistent || item.Persistent).Select(item => (item.Name, item.Value)));

            public virtual IEnumerable<Tensor> buffers(bool recurse = true, bool include_nonpersistent = true) =>
                named_buffers(recurse, include_nonpersistent).Select(item => item.buffer);

            public virtual Parameter? get_parameter(string target) => named_parameters().FirstOrDefault(item => item.name == target).parameter;

            public virtual Tensor? get_buffer(string target) => named_buffers().FirstOrDefault(item => item.name == target).buffer;

            public virtual bool has_parameter(string target) => get_parameter(target) is not null;

            public virtual bool has_buffer(string target) => get_buffer(target) is not null;

            /// <summary>
            /// Parameters and persistent buffers by path: per module its parameters, then its buffers, then its children; a tied
            /// parameter under each of its paths.
            /// </summary>
            public virtual Dictionary<string, Tensor> state_dict(Dictionary<string, Tensor>? destination = null, string? prefix = null)
            {
                destination ??= [];
                var path = prefix ?? "";
                foreach (var (name, parameter) in _internal_params.Entries) destination[Join(path, name)] = parameter;
                foreach (var (name, buffer, persistent) in OwnBuffers)
                    if (persistent) destination[Join(path, name)] = buffer;
                foreach (var (name, child) in named_children()) child.state_dict(destination, Join(path, name));
                return destination;
            }

            /// <summary>Copies values in by path, all or nothing.</summary>
            /// <param name="source">Tensors by path; each must have the shape of its target.</param>
            /// <param name="strict">Missing and unexpected paths are an error.</param>
            /// <param name="skip">Paths to ignore.</param>
            /// <exception cref="InvalidOperationException">Names or shapes do not fit; all of them are listed and nothing was copied.</exception>
            public virtual (IList<string> missing_keys, IList<string> unexpected_keyes) load_state_dict(
                Dictionary<string, Tensor> source, bool strict = true, IList<string>? skip = null)
            {
                skip ??= [];
                var own = state_dict();
                var missing = own.Keys.Where(key => !source.ContainsKey(key) && !skip.Contains(key)).ToList();
                var unexpected = source.Keys.Where(key => !own.ContainsKey(key) && !skip.Contains(key)).ToList();
                var common = own.Keys.Where(key => source.ContainsKey(key) && !skip.Contains(key)).ToList();
                var problems = common.Where(key => !own[key].shape.AsSpan().SequenceEqual(source[key].shape))
                    .Select(key => $"'{key}' has shape [{string.Join(", ", source[key].shape)}], the module's is [{string.Join(", ", own[key].shape)}]").ToList();
                if (strict && missing.Count > 0) problems.Add("missing: " + string.Join(", ", missing));
                if (strict && unexpected.Count > 0) problems.Add("unexpected: " + string.Join(", ", unexpected));
                if (problems.Count > 0) throw new InvalidOperationException("The state dict does not match, nothing was loaded: " + string.Join("; ", problems) + ".");
                using var off = no_grad();
                foreach (var key in common) own[key].copy_(source[key]);
                return (missing, unexpected);
            }

            private IEnumerable<(string, T)> Distinct<T>(bool recurse, Func<Module, IEnumerable<(string Name, T Value)>> own) where T : Tensor
            {
                var seen = new HashSet<T>(ReferenceEqualityComparer.Instance);
                foreach (var (path, module) in recurse ? named_modules() : [("", this)])
                    foreach (var (name, value) in own(module))
                        if (seen.Add(value)) yield return (Join(path, name), value);
            }

            private static string Join(string path, string name) => path.Length == 0 ? name : path + "." + name;
        }
    }
}
