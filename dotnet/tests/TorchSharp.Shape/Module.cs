using System.Reflection;
using TorchSharp.Modules;
using TorchSharp.Utils;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>A module without <c>forward</c> and without hooks (rules 1 and 6). Calls of what is below fire no hook (rule 32).</summary>
        public class Module : IDisposable
        {
            private readonly OrderedDict<string, Module> _children = new();
            private readonly OrderedDict<string, Parameter> _parameters = new();
            private readonly OrderedDict<string, (Tensor Tensor, bool Persistent)> _buffers = new();
            private readonly string _name;
            private bool _registered;

            /// <exception cref="ArgumentNullException">There is no name: in TorchSharp that ends the process.</exception>
            protected Module(string name) => _name = name ?? throw new ArgumentNullException(nameof(name));

            public virtual bool training { get; private set; } = true;

            /// <summary>The constructor's name: neither the path nor unique (rule 67).</summary>
            public virtual string GetName() => _name;

            /// <summary>Gives nothing back and goes down to the children (rule 72).</summary>
            public virtual void train(bool train = true)
            {
                training = train;
                foreach (var (_, child) in named_children()) child.train(train);
            }

            public virtual void eval() => train(false);

            /// <summary>The dictionary itself, whose enumerator without a type throws (rule 59).</summary>
            public virtual IEnumerable<(string name, Module module)> named_children() => _children;

            /// <summary>The children first, then what is below each of them: neither the module itself nor each once (rules 56 and 57).</summary>
            public virtual IEnumerable<(string name, Module module)> named_modules()
            {
                foreach (var (name, child) in named_children()) yield return (name, child);
                foreach (var (name, child) in named_children())
                    foreach (var (below, module) in child.named_modules())
                        yield return ($"{name}.{below}", module);
            }

            public virtual IEnumerable<Module> children() => named_children().Select(child => child.module);

            public virtual IEnumerable<Module> modules() => named_modules().Select(found => found.module);

            /// <summary>Of a module's own each once, under its first name (rule 69): a built-in's are registered by hand and found in its fields too.</summary>
            public virtual IEnumerable<(string name, Parameter parameter)> named_parameters(bool recurse = true)
            {
                foreach (var own in _parameters.DistinctBy(entry => entry.Item2, ReferenceEqualityComparer.Instance)) yield return own;
                if (!recurse) yield break;
                foreach (var (name, child) in named_children())
                    foreach (var (below, parameter) in child.named_parameters())
                        yield return ($"{name}.{below}", parameter);
            }

            public virtual IEnumerable<Parameter> parameters(bool recurse = true) => named_parameters(recurse).Select(found => found.parameter);

            /// <summary>Persistent ones alone (rule 70).</summary>
            public virtual IEnumerable<(string name, Tensor buffer)> named_buffers(bool recurse = true, bool include_nonpersistent = true)
            {
                foreach (var (name, (buffer, persistent)) in _buffers)
                    if (persistent) yield return (name, buffer);
                if (!recurse) yield break;
                foreach (var (name, child) in named_children())
                    foreach (var (below, buffer) in child.named_buffers())
                        yield return ($"{name}.{below}", buffer);
            }

            public virtual Parameter? get_parameter(string target) => named_parameters().FirstOrDefault(found => found.name == target).parameter;

            public virtual Tensor? get_buffer(string target) => named_buffers().FirstOrDefault(found => found.name == target).buffer;

            /// <summary>All parameters of the tree, then all buffers (rule 68).</summary>
            public virtual Dictionary<string, Tensor> state_dict(Dictionary<string, Tensor>? destination = null, string? prefix = null)
            {
                destination ??= [];
                foreach (var (name, parameter) in named_parameters()) destination.TryAdd(prefix is null ? name : $"{prefix}.{name}", parameter);
                foreach (var (name, buffer) in named_buffers()) destination.TryAdd(prefix is null ? name : $"{prefix}.{name}", buffer);
                return destination;
            }

            /// <summary>Registers the components of the child as well (rule 63); null takes the name back (rule 64).</summary>
            public virtual void register_module(string name, Module? submodule)
            {
                if (submodule is null)
                {
                    _children.Remove(name);
                    return;
                }

                Check(name);
                if (_children.ContainsKey(name)) throw new InvalidOperationException($"Sub-module {name} is already registered.");
                submodule.RegisterComponents();
                _children.Add(name, submodule);
            }

            /// <summary>Overwrites what a file that <c>save</c> wrote has by name; all of it, and nothing else, if <c>strict</c>.</summary>
            public virtual Module load(string location, bool strict = true)
            {
                using var reader = new BinaryReader(File.OpenRead(location));
                var own = state_dict();
                var left = reader.Read7BitEncodedInt();
                if (strict && left != own.Count) throw new ArgumentException($"{location} has {left} entries, and the model {own.Count}.");
                for (; left > 0; left--)
                {
                    var name = reader.ReadString();
                    var read = Tensor.Load(reader);
                    if (own.TryGetValue(name, out var found)) read.bytes.CopyTo(found.bytes);
                    else if (strict) throw new ArgumentException($"{location} has '{name}', and the model has not.");
                }

                return this;
            }

            public virtual void register_parameter(string name, Parameter param)
            {
                ArgumentNullException.ThrowIfNull(param);
                Check(name);
                if (_parameters.ContainsKey(name)) throw new InvalidOperationException($"Parameter {name} is already registered.");
                _parameters.Add(name, param);
            }

            public virtual void register_buffer(string name, Tensor tensor, bool persistent = true)
            {
                ArgumentNullException.ThrowIfNull(tensor);
                Check(name);
                if (_buffers.ContainsKey(name)) throw new InvalidOperationException($"Buffer {name} is already registered.");
                _buffers.Add(name, (tensor, persistent));
            }

            /// <summary>
            /// Once: the fields of the most derived class first, then those of its bases (rule 60), under their names or that of the attribute
            /// (rule 61). A plain tensor becomes a buffer (rule 62); nulls, arrays and lists are not registered.
            /// </summary>
            protected virtual void RegisterComponents()
            {
                if (_registered) return;
                _registered = true;
                for (var type = GetType(); type != typeof(Module) && type is not null; type = type.BaseType)
                    foreach (var field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                        Register(field.GetCustomAttribute<ComponentNameAttribute>()?.Name ?? field.Name, field.GetValue(this));
            }

            /// <summary>What libtorch made has its parameters flat, under the dotted names that libtorch gives, and no children (rule 47).</summary>
            private protected void RegisterNative(string name, params long[] shape) => _parameters.Add(name, new(randn(shape)));

            private void Register(string name, object? value)
            {
                switch (value)
                {
                    // A name that was registered by hand is skipped (field notes 13).
                    case Module module when !_children.ContainsKey(name): register_module(name, module); break;
                    case Parameter parameter when !_parameters.ContainsKey(name): register_parameter(name, parameter); break;
                    case Parameter: break;
                    case Tensor tensor when !_buffers.ContainsKey(name): register_buffer(name, tensor); break;
                }
            }

            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>Parameters, buffers and all below; hooks stay (rules 22 and 90).</summary>
            protected virtual void Dispose(bool disposing)
            {
                foreach (var (_, parameter) in _parameters) parameter.Dispose();
                foreach (var (_, (buffer, _)) in _buffers) buffer.Dispose();
                foreach (var (_, child) in named_children()) child.Dispose();
            }

            private static void Check(string name)
            {
                if (name.Length == 0 || name.Contains('.')) throw new ArgumentException($"A name is neither empty nor has a dot: '{name}'.");
            }
        }
    }
}
