using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using TorchSharp.Utils;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            [ThreadStatic]
            private static bool _leavesUnregistered;

            private bool _componentsRegistered;

            /// <summary>
            /// Gets or sets whether, on this thread, a Sequential leaves the components of its children unregistered, as in TorchSharp.
            /// </summary>
            internal static bool LeavesUnregistered
            {
                get => _leavesUnregistered;
                set => _leavesUnregistered = value;
            }

            /// <summary>Gets whether <see cref="RegisterComponents"/> has run, or the module has a component.</summary>
            internal bool HasComponents => _componentsRegistered || Children.Count + _internal_params.Count + _internal_buffers.Count > 0;

            internal void RegisterAsChild() => RegisterComponents();

            /// <summary>
            /// Registers the fields of the most derived type, then of each base: modules as children, parameters as parameters, other
            /// tensors as persistent buffers. Skips fields with other values or null, and names that are registered already. Later calls
            /// do nothing.
            /// </summary>
            protected virtual void RegisterComponents()
            {
                if (_componentsRegistered) return;
                _componentsRegistered = true;
                foreach (var field in Fields(GetType()))
                {
                    if (field.GetValue(this) is not { } value) continue;
                    var name = field.ComponentName();
                    if (_internal_submodules.ContainsKey(name) || _internal_params.ContainsKey(name) || _internal_buffers.ContainsKey(name))
                        continue;
                    Register(name, value);
                }
            }

            private void Register(string name, object value)
            {
                if (value is Module module) register_module(name, module);
                else if (value is Modules.Parameter parameter) register_parameter(name, parameter);
                else if (value is Tensor tensor) register_buffer(name, tensor);
            }

            // In TorchSharp's order: for each class, the fields that reflection finds, inherited ones included unless they are private. Of
            // fields with the same name, only the first counts. Fields of classes in this assembly implement the tree: they are left out.
            private static IEnumerable<FieldInfo> Fields(Type type)
            {
                var seen = new HashSet<string>();
                for (var level = type; level is not null && level.Assembly != typeof(Module).Assembly; level = level.BaseType)
                    foreach (var field in level.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
                        if (field.DeclaringType!.Assembly != typeof(Module).Assembly && seen.Add(field.Name)) yield return field;
            }

            /// <summary>Registers a child, and the child's components. Null removes the child of that name.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_module">
            /// torch.nn.Module.register_module</see>.
            /// </remarks>
            /// <param name="name">The child's name, without a dot.</param>
            /// <param name="submodule">The child; null to remove the child of that name.</param>
            /// <exception cref="InvalidOperationException">
            /// The name is registered already, this module is a parameterless module and the child is not, or this module is part of a
            /// model that Python has loaded.
            /// </exception>
            /// <exception cref="ArgumentException">The name is empty or contains a dot.</exception>
            public virtual void register_module(string name, Module submodule)
            {
                CheckMayChange("module", name, submodule);
                if (submodule is null)
                {
                    _internal_submodules.Remove(name);
                    return;
                }

                Components.Add(_internal_submodules, "module", name, submodule);
                submodule.RegisterComponents();
            }

            /// <summary>Registers a child, as <see cref="register_module"/> does.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.add_module">
            /// torch.nn.Module.add_module</see>.
            /// </remarks>
            /// <param name="name">The child's name, without a dot.</param>
            /// <param name="module">The child; null to remove the child of that name.</param>
            public void add_module(string name, Module module) => register_module(name, module);

            /// <summary>Registers a parameter of this module. No dispose scope disposes the parameter afterwards.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_parameter">
            /// torch.nn.Module.register_parameter</see>.
            /// </remarks>
            /// <param name="name">The parameter's name.</param>
            /// <param name="param">The parameter.</param>
            /// <exception cref="InvalidOperationException">
            /// The name is registered already, this module is a parameterless module, or it is part of a model that Python has loaded.
            /// </exception>
            /// <exception cref="ArgumentException">The parameter is null, or the name or a part of it between dots is empty.</exception>
            public virtual void register_parameter(string name, Modules.Parameter param)
            {
                ArgumentNullException.ThrowIfNull(param);
                CheckMayChange("parameter", name);
                Components.Add(_internal_params, "parameter", name, param);
                // Tensors of a module outlive the dispose scope in which they were created.
                param.DetachFromDisposeScope();
            }

            /// <summary>Registers a buffer of this module. No dispose scope disposes the buffer afterwards.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer">
            /// torch.nn.Module.register_buffer</see>.
            /// </remarks>
            /// <param name="name">The buffer's name.</param>
            /// <param name="tensor">The buffer.</param>
            /// <param name="persistent">Whether <see cref="state_dict"/> includes the buffer.</param>
            /// <exception cref="InvalidOperationException">
            /// The name is registered already, this module is a parameterless module, or it is part of a model that Python has loaded.
            /// </exception>
            /// <exception cref="ArgumentException">The buffer is null, or the name or a part of it between dots is empty.</exception>
            public virtual void register_buffer(string name, Tensor tensor, bool persistent = true)
            {
                ArgumentNullException.ThrowIfNull(tensor);
                CheckMayChange("buffer", name);
                Components.Add(_internal_buffers, "buffer", name, (tensor, persistent));
                tensor.DetachFromDisposeScope();
            }

            // Python would not notice the change: state_dict and optimizers in Python would lack a new component.
            internal void CheckMayChange(string kind, string name, Module? child = null)
            {
                if (this is Modules.IParameterLessModule && child is not Modules.IParameterLessModule)
                    throw new InvalidOperationException(
                        $"The {kind} '{name}' cannot be registered or removed: {GetName()} is a module without parameters.");
                if (Link is not null)
                    throw new InvalidOperationException(
                        $"The {kind} '{name}' cannot be registered or removed: {GetType().Name} is part of a model that Python has loaded. "
                        + "Register or remove it in the constructor.");
            }

            /// <summary>Registers a parameter, or replaces the parameter of that name; null removes it.</summary>
            /// <param name="name">The parameter's name.</param>
            /// <param name="value">The parameter; null to remove the parameter of that name.</param>
            protected void ConditionallyRegisterParameter(string name, Modules.Parameter? value)
            {
                if (value is null) _internal_params.Remove(name);
                else _internal_params[name] = value;
            }

            /// <summary>
            /// Registers or replaces a parameter; a tensor that is no Parameter removes the parameter of that name, as null does.
            /// </summary>
            /// <param name="name">The parameter's name.</param>
            /// <param name="value">The parameter, whose static type is Tensor.</param>
            protected void ConditionallyRegisterParameter(string name, Tensor value) =>
                ConditionallyRegisterParameter(name, value as Modules.Parameter);

            /// <summary>Registers a buffer, or replaces the buffer of that name; null removes it.</summary>
            /// <param name="name">The buffer's name.</param>
            /// <param name="value">The buffer; null to remove the buffer of that name.</param>
            /// <param name="persistent">Whether <see cref="state_dict"/> includes the buffer.</param>
            protected void ConditionallyRegisterBuffer(string name, Tensor? value, bool persistent = true)
            {
                if (value is null) _internal_buffers.Remove(name);
                else _internal_buffers[name] = (value, persistent);
            }

            /// <summary>Removes all children.</summary>
            /// <exception cref="InvalidOperationException">
            /// There are children, and this module is a parameterless module or part of a model that Python has loaded.
            /// </exception>
            protected void ClearModules()
            {
                if (_internal_submodules.Count > 0) CheckMayChange("module", _internal_submodules.Entries[0].Name);
                _internal_submodules.Clear();
            }

            /// <summary>Returns the module's own parameters by name, in the order of registration.</summary>
            protected virtual (string name, Modules.Parameter parameter)[] _named_parameters() => _internal_params.Entries.ToArray();

            /// <summary>Returns the module's own buffers by name, persistent or not, in the order of registration.</summary>
            protected virtual (string name, Tensor buffer)[] _named_buffers() =>
                OwnBuffers.Select(item => (item.Name, item.Value)).ToArray();

            /// <summary>Returns the result of <see cref="parameters"/> as an array.</summary>
            /// <param name="recurse">Whether to include descendants.</param>
            protected virtual Modules.Parameter[] _parameters(bool recurse = true) => parameters(recurse).ToArray();

            /// <summary>Returns the given device and element type. In place of null, returns the default of new tensors.</summary>
            /// <param name="device">The device; null for the default device.</param>
            /// <param name="dtype">The element type; null for the default type.</param>
            protected static (Device device, ScalarType dtype) GetDefaultDeviceAndType(Device? device = null, ScalarType? dtype = null)
            {
                if (device is not null && dtype is { } given) return (device, given);
                using var made = empty([0], dtype, device);
                return (made.device, made.dtype);
            }

            /// <summary>Registers a property's new value as the parameter of the property's name; null removes the parameter.</summary>
            /// <returns>The value.</returns>
            /// <exception cref="InvalidOperationException">
            /// This module is a parameterless module, or part of a model that Python has loaded.
            /// </exception>
            [return: NotNullIfNotNull(nameof(value))]
            private protected Modules.Parameter? Put(Modules.Parameter? value, [CallerMemberName] string name = "")
            {
                CheckMayChange("parameter", name);
                value?.DetachFromDisposeScope();
                ConditionallyRegisterParameter(name, value);
                return value;
            }

            /// <summary>Registers a property's new value as the buffer of the property's name; null removes the buffer.</summary>
            /// <returns>The value.</returns>
            /// <exception cref="InvalidOperationException">
            /// This module is a parameterless module, or part of a model that Python has loaded.
            /// </exception>
            private protected Tensor? Put(Tensor? value, [CallerMemberName] string name = "")
            {
                CheckMayChange("buffer", name);
                value?.DetachFromDisposeScope();
                ConditionallyRegisterBuffer(name, value);
                return value;
            }

            /// <summary>Writes a property's new value to the Python module that represents this module, if there is one.</summary>
            /// <returns>The value.</returns>
            private protected T Publish<T>(T value, [CallerMemberName] string name = "")
            {
                Link?.PropertyChanged(name, BuiltInProperties.Plain(value));
                return value;
            }

            /// <summary>Gets the module's own parameters, in the order of registration.</summary>
            internal IEnumerable<(string Name, Modules.Parameter Value)> OwnParameters => _internal_params.Entries;

            /// <summary>Gets the module's own parameters, then its own buffers.</summary>
            internal IEnumerable<(string Name, Tensor Tensor)> OwnTensors =>
                _internal_params.Entries.Select(item => (item.Name, (Tensor)item.Value))
                    .Concat(OwnBuffers.Select(item => (item.Name, item.Value)));

            /// <summary>Gets the module's own buffers, and whether they are persistent.</summary>
            internal IEnumerable<(string Name, Tensor Value, bool Persistent)> OwnBuffers
            {
                get
                {
                    foreach (var (name, (buffer, persistent)) in _internal_buffers.Entries) yield return (name, buffer, persistent);
                }
            }
        }
    }
}
