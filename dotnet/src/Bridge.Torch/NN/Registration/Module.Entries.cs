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
            /// Gets a counter that grows whenever the entries of any collection change. Data computed from a module tree are then out of
            /// date.
            /// </summary>
            internal static int EntryChanges => Volatile.Read(ref _entryChanges);

            /// <summary>
            /// Gets the type of the entries of a collection (a Sequential, or a list or dictionary of modules or parameters); null for
            /// other modules.
            /// </summary>
            internal virtual Type? EntryType => Items is null ? null : typeof(Module);

            /// <summary>Gets whether this object stands for a Python module, to which it passes every call.</summary>
            internal bool IsPythonProxy { get; private set; }

            /// <summary>Returns whether this collection accepts a module as an entry.</summary>
            internal virtual bool Fits(Module entry) => EntryType!.IsInstanceOfType(entry);

            /// <summary>Replaces the entries of a collection with Python's.</summary>
            /// <param name="entries">Modules or parameters; null for None.</param>
            internal virtual void SetEntriesFromPython(IReadOnlyList<(string Name, object? Value)> entries)
            {
                Items!.SetFromPython(entries.Where(item => item.Value is not null).Select(item => (item.Name, (Module)item.Value!)),
                    _internal_submodules.Entries);
                Interlocked.Increment(ref _entryChanges);
            }

            /// <summary>Changes this collection in C#, then in the Python module that represents it, if there is one.</summary>
            /// <param name="change">Changes the collection in C#.</param>
            /// <param name="back">Undoes <paramref name="change"/>; called if Python fails.</param>
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
                    // In a finally block, not a catch block: see the remarks of Dispatcher on recursion depth.
                    if (!done) back();
                }
            }

            /// <summary>
            /// Returns whether this collection is represented by no Python module, and has no modules and parameters except its entries.
            /// </summary>
            /// <param name="entries">The number of entries.</param>
            private protected bool HasOnlyEntries(int entries) =>
                Link is null && _internal_submodules.Count + _internal_params.Count == entries;

            /// <summary>
            /// Returns the index of a name among the modules or among the parameters; -1 if no module or parameter has the name.
            /// </summary>
            private protected int FindComponent(string name) => Math.Max(_internal_submodules.Find(name), _internal_params.Find(name));

            /// <summary>Registers a new last entry of a collection for which <see cref="HasOnlyEntries"/> is true.</summary>
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

            /// <summary>Replaces all registered entries of this collection.</summary>
            /// <param name="entries">The new entries.</param>
            /// <param name="before">The names of the old entries. Other components stay registered.</param>
            /// <exception cref="InvalidOperationException">Two modules or two parameters would have the same name.</exception>
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
            /// <exception cref="ArgumentException">A name is empty or contains a dot, or a value is null.</exception>
            private protected void Check<T>(IReadOnlyList<(string Name, T Value)> entries)
            {
                var twice = entries.GroupBy(item => item.Name).FirstOrDefault(group => group.Count() > 1);
                if (twice is not null) throw new InvalidOperationException($"The name '{twice.Key}' is in the {GetName()} already.");
                foreach (var (name, value) in entries)
                {
                    ArgumentNullException.ThrowIfNull(value);
                    Components.Check(name, $"{GetName()} entry");
                }
            }

            /// <summary>
            /// Gives this module its own <see cref="Tensor"/> object for a parameter or buffer whose object it shares with other modules.
            /// The new object has no native tensor until it is bound to Python's.
            /// </summary>
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
            /// Makes this object a proxy of a Python module. Its <see cref="Tensor"/> objects have no native tensors until they are bound
            /// to the Python module's attributes of the same names.
            /// </summary>
            /// <param name="type">The name of the Python module's class.</param>
            /// <param name="tensors">The Python module's parameters and buffers.</param>
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
            /// Gets the tensors that Python can own: the registered ones, and for a proxy also the tensors in fields of its C# class that
            /// the Python module has not registered.
            /// </summary>
            internal IEnumerable<(string Name, Tensor Tensor)> LinkedTensors =>
                _otherTensors is null ? OwnTensors : OwnTensors.Concat(_otherTensors);
        }
    }
}
