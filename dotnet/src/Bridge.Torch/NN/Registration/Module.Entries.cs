using System.Reflection;
using Bridge.Torch;
using TorchSharp.Utils;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            private static int _entryChanges;
            private List<(string Name, Tensor Tensor)>? _otherTensors;

            /// <summary>
            /// Gets the number of changes of collections' entries in the process. After a change, data computed from a module tree are out
            /// of date.
            /// </summary>
            internal static int EntryChanges => Volatile.Read(ref _entryChanges);

            /// <summary>Gets the type of a collection's entries; null for other modules.</summary>
            internal virtual Type? EntryType => Items is null ? null : typeof(Module);

            /// <summary>Gets whether this object is a proxy: it passes every call to a Python module.</summary>
            internal bool IsPythonProxy { get; private set; }

            /// <summary>Returns whether a collection accepts the module as an entry.</summary>
            internal virtual bool Fits(Module entry) => EntryType!.IsInstanceOfType(entry);

            /// <summary>Replaces the entries of a collection with Python's.</summary>
            /// <param name="entries">Modules or parameters; null for None.</param>
            internal virtual void SetEntriesFromPython(IReadOnlyList<(string Name, object? Value)> entries)
            {
                Items!.SetFromPython(entries.Where(item => item.Value is not null).Select(item => (item.Name, (Module)item.Value!)),
                    _internal_submodules.Entries);
                Interlocked.Increment(ref _entryChanges);
            }

            /// <summary>Changes a collection in C#, and in its Python module, if any. If Python fails, undoes the C# change.</summary>
            /// <param name="change">Changes the collection in C#.</param>
            /// <param name="back">Undoes <paramref name="change"/>.</param>
            internal void Publish(Action change, Action back)
            {
                var done = false;
                change();
                try
                {
                    Interlocked.Increment(ref _entryChanges);
                    Link?.EntriesChanged();
                    done = true;
                }
                finally
                {
                    // Not a catch block: see the remarks of Dispatcher on recursion depth.
                    if (!done) back();
                }
            }

            /// <summary>
            /// Returns whether this collection has no Python module and no components besides its entries, so that an entry can be
            /// appended in place.
            /// </summary>
            /// <param name="entries">The number of entries.</param>
            private protected bool HasOnlyEntries(int entries) =>
                Link is null && _internal_submodules.Count + _internal_params.Count == entries;

            /// <summary>Returns the index of the component with that name among the modules or the parameters; otherwise -1.</summary>
            private protected int FindComponent(string name) => Math.Max(_internal_submodules.Find(name), _internal_params.Find(name));

            /// <summary>Appends an entry, in constant time, to a collection for which <see cref="HasOnlyEntries"/> is true.</summary>
            private protected void RegisterEntry<T>(string name, T value) where T : class
            {
                ArgumentNullException.ThrowIfNull(value);
                if (value is Module module)
                {
                    if (!module.IsPythonProxy) module.RegisterComponents();
                    Components.Add(_internal_submodules, "module", name, module);
                }
                else if (value is Modules.Parameter parameter)
                {
                    Components.Add(_internal_params, "parameter", name, parameter);
                    // Tensors of a module outlive the dispose scope in which they were created.
                    parameter.DetachFromDisposeScope();
                }

                Interlocked.Increment(ref _entryChanges);
            }

            /// <summary>Registers the entries of a collection in place of the entries with the names <paramref name="before"/>.</summary>
            /// <exception cref="InvalidOperationException">Two components would have the same name.</exception>
            private protected void RegisterEntries<T>(IEnumerable<(string Name, T Value)> entries, IEnumerable<string> before) where T
                : class
            {
                var old = before.ToHashSet();
                var (modules, parameters) = (new OrderedDict<string, Module>(), new OrderedDict<string, Modules.Parameter>());
                foreach (var (name, value) in entries)
                {
                    if (value is Module module)
                    {
                        Components.Add(modules, "module", name, module);
                        if (!module.IsPythonProxy) module.RegisterComponents();
                    }
                    else if (value is Modules.Parameter parameter)
                    {
                        Components.Add(parameters, "parameter", name, parameter);
                        // Tensors of a module outlive the dispose scope in which they were created.
                        parameter.DetachFromDisposeScope();
                    }
                }

                foreach (var (name, module) in _internal_submodules.Entries)
                    if (!old.Contains(name)) Components.Add(modules, "module", name, module);
                foreach (var (name, parameter) in _internal_params.Entries)
                    if (!old.Contains(name)) Components.Add(parameters, "parameter", name, parameter);
                (_internal_submodules, _internal_params) = (modules, parameters);
                Interlocked.Increment(ref _entryChanges);
            }

            /// <exception cref="InvalidOperationException">Two entries have the same name.</exception>
            private protected void Check<T>(IReadOnlyList<(string Name, T Value)> entries)
            {
                var twice = entries.GroupBy(item => item.Name).FirstOrDefault(group => group.Count() > 1);
                if (twice is not null) throw new InvalidOperationException($"The name '{twice.Key}' is in the {GetName()} already.");
                foreach (var (name, value) in entries)
                {
                    ArgumentNullException.ThrowIfNull(value);
                    Components.Check(name, GetName());
                }
            }

            /// <summary>Replaces a tensor that this module shares with other modules by a tensor of its own, without a handle.</summary>
            internal void ReplaceSharedTensor(string name, Tensor tensor)
            {
                var own = Tensor.Blank(tensor.GetType());
                var isOnly = OwnTensors.Count(item => ReferenceEquals(item.Tensor, tensor)) == 1;
                if (_internal_params.ContainsKey(name)) _internal_params[name] = (Modules.Parameter)own;
                else _internal_buffers[name] = (own, _internal_buffers[name].Item2);
                for (var type = GetType(); type != typeof(Module) && type is not null; type = type.BaseType)
                    foreach (var field in type.GetFields(
                        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                        if (field.FieldType.IsInstanceOfType(tensor) && ReferenceEquals(field.GetValue(this), tensor)
                            && (isOnly || field.ComponentName() == name || field.Name == $"<{name}>k__BackingField"))
                            field.SetValue(this, own);
            }

            /// <summary>
            /// Makes this object, whose constructor did not run, a proxy of a Python module. Its tensors are those of the Python module's
            /// attributes of the same names.
            /// </summary>
            /// <param name="type">The name of the Python module's class.</param>
            /// <param name="tensors">
            /// The module's parameters and buffers: the name, whether it is a parameter, and whether it is persistent.
            /// </param>
            internal void InitializeProxy(string type, IEnumerable<(string Name, bool IsParameter, bool IsPersistent)> tensors)
            {
                GC.SuppressFinalize(this);
                (name, IsPythonProxy, _componentsRegistered) = (type, true, true);
                Id = Interlocked.Increment(ref _ids);
                (_internal_submodules, _internal_buffers, _internal_params) = (new(), new(), new());
                var fields = BuiltInProperties.Tensors(GetType()).ToLookup(item => item.Name, item => item.Field);
                foreach (var (own, isParameter, isPersistent) in tensors)
                {
                    var tensor = Tensor.Blank(isParameter || fields[own].Any(field => field.FieldType != typeof(Tensor))
                        ? typeof(Modules.Parameter) : typeof(Tensor));
                    if (isParameter) _internal_params[own] = (Modules.Parameter)tensor;
                    else _internal_buffers[own] = (tensor, isPersistent);
                    SetFields(fields[own], tensor);
                }

                foreach (var group in fields.Where(group => group.All(field => field.GetValue(this) is null)))
                {
                    var tensor = Tensor.Blank(group.First().FieldType);
                    (_otherTensors ??= []).Add((group.Key, tensor));
                    SetFields(group, tensor);
                }
            }

            private void SetFields(IEnumerable<FieldInfo> fields, Tensor tensor)
            {
                foreach (var field in fields)
                    if (field.FieldType.IsInstanceOfType(tensor)) field.SetValue(this, tensor);
            }

            /// <summary>
            /// Gets the tensors that Python may own: the registered ones, and for a proxy also tensor fields of its class that the Python
            /// module has not registered.
            /// </summary>
            internal IEnumerable<(string Name, Tensor Tensor)> LinkedTensors =>
                _otherTensors is null ? OwnTensors : OwnTensors.Concat(_otherTensors);
        }
    }
}
