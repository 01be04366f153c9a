using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Modules, their parameters, and functions on tensors that modules use.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.html">torch.nn</see>.</remarks>
    public static partial class nn
    {
        /// <summary>
        /// A node of the module tree: children, parameters, buffers, training flag. Only its generic subclasses have a <c>call</c>.
        /// </summary>
        /// <remarks>
        /// Signatures, registration and the order of enumeration are TorchSharp's. In Python, the same tree has PyTorch's paths and order:
        /// the root's path is "", and the order is depth first, without duplicates. PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html">torch.nn.Module</see>.
        /// </remarks>
        public partial class Module : IDisposable
        {
            private static int _ids;

            /// <summary>
            /// The module's own children by name; empty for a Sequential, unless a derived class registers modules itself.
            /// </summary>
            protected Utils.OrderedDict<string, Module> _internal_submodules = new();

            /// <summary>The module's own buffers by name, each with whether it is persistent.</summary>
            protected Utils.OrderedDict<string, (Tensor, bool)> _internal_buffers = new();

            /// <summary>The module's own parameters by name.</summary>
            protected Utils.OrderedDict<string, Parameter> _internal_params = new();

            /// <summary>The name that <see cref="GetName"/> returns.</summary>
            protected string? name;
            private bool _training = true;
            private Tuple<(object?, System.Reflection.FieldInfo)[], int>? _retainingFields;

            /// <summary>Creates nothing: there are no native modules here that a handle could refer to.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) => throw new NotSupportedException(
                "Module(IntPtr, IntPtr) takes a module of TorchSharp's native library, which Bridge.Torch does not have; use Module(string "
                    + "name).");

            /// <summary>Creates a module without children, parameters and buffers.</summary>
            /// <param name="name">The name, which <see cref="GetName"/> returns.</param>
            protected Module(string name)
            {
                this.name = name;
                Id = Interlocked.Increment(ref _ids);
            }

            /// <summary>Gets the module's id in traces; unique in the process.</summary>
            internal int Id { get; private set; }

            /// <summary>Gets the number that identifies the module in calls between C# and Python.</summary>
            internal virtual long Number => Id;

            /// <summary>
            /// Gets whether a call may create tensors besides its result. If not, as for most built-ins, the call needs no dispose scope.
            /// </summary>
            private protected bool MakesIntermediates { get; init; } = true;

            /// <summary>
            /// Gets whether the module is known to retain neither its arguments nor its result, as for most built-ins; false for a
            /// Sequential.
            /// </summary>
            private protected bool RetainsNothing => !MakesIntermediates && EntryType is null;

            /// <summary>Gets whether <c>forward</c> may start tasks that call modules. Only a user's <c>forward</c> may.</summary>
            private protected bool StartsTasks => MakesIntermediates && IsUsers;

            /// <summary>Gets whether the user wrote the module's class.</summary>
            internal bool IsUsers => GetType().Assembly != typeof(Module).Assembly;

            /// <summary>Gets the fields of this module's tree, and static fields, that could keep a tensor beyond a call.</summary>
            internal (object?, System.Reflection.FieldInfo)[] RetainingFields
            {
                get
                {
                    // One object holds the fields and the value of EntryChanges at which they were computed. Otherwise, a thread could
                    // read fields that one thread stored and a value that another thread stored.
                    var changes = EntryChanges;
                    if (_retainingFields is not { } known || known.Item2 != changes)
                        _retainingFields = known = new(ReachableTensors.RetainingFields(this), changes);
                    return known.Item1;
                }
            }

            /// <summary>
            /// Gets the operator whose call on the argument and the module's tensors can replace <c>forward</c>, with the module's present
            /// settings; null if there is none.
            /// </summary>
            internal virtual ForwardOperator? Operator => null;

            /// <summary>Gets or sets the link to the Python module that represents (mirrors) this module; null if not mirrored.</summary>
            internal ModuleLink? Link { get; set; }

            /// <summary>Gives this object, a memberwise clone, its own id and no link.</summary>
            /// <returns>Whether the original has a link.</returns>
            internal bool MakeIndependent()
            {
                var mirrored = Link is not null;
                (Id, Link, _retainingFields) = (Interlocked.Increment(ref _ids), null, null);
                return mirrored;
            }

            /// <summary>Gives this copy of a Sequential its own list of children.</summary>
            internal void CopyItems() => Items = Items?.CopyFor(this);

            /// <summary>Gets whether the module is in training mode, which changes dropout and batch norm.</summary>
            public virtual bool training
            {
                get
                {
                    // Python may have changed the flag.
                    if (Link is { IsCollected: false } link) link.RefreshTraining();
                    return _training;
                }
            }

            /// <summary>Returns the name that was given to the constructor: for the built-in modules, the name of the class.</summary>
            public virtual string GetName() => name!;

            /// <summary>Sets the training flag of this module and its descendants.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train">
            /// torch.nn.Module.train</see>.
            /// </remarks>
            /// <param name="train">Whether they are in training mode.</param>
            public virtual void train(bool train = true)
            {
                Nesting.Check();
                if (Link is { RunsInPython: true } link && link.TrainingChanged(train)) return;
                SetTraining(train);
                foreach (var (_, child) in Children) child.train(train);
            }

            /// <summary>Puts this module and its descendants into evaluation mode.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval">
            /// torch.nn.Module.eval</see>.
            /// </remarks>
            public virtual void eval()
            {
                if (Link is { RunsInPython: true } link && link.TrainingChanged(false)) return;
                train(false);
                if (Items is null) return;
                foreach (var (_, child) in Children) child.eval();
            }

            /// <summary>Sets the gradients of all parameters to null, or to zero.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.zero_grad">
            /// torch.nn.Module.zero_grad</see>.
            /// </remarks>
            /// <param name="set_to_none">Whether the gradients become null; otherwise they are filled with zeros.</param>
            public virtual void zero_grad(bool set_to_none = true)
            {
                foreach (var (_, parameter) in named_parameters())
                {
                    using var gradient = parameter.grad;
                    if (gradient is null) continue;
                    if (set_to_none) parameter.grad = null;
                    else Zero(gradient);
                }

                static void Zero(Tensor gradient)
                {
                    using var off = no_grad();
                    using var plain = gradient.detach();
                    plain.zero_();
                }
            }

            internal void SetTraining(bool train)
            {
                if (training == train) return;
                _training = train;
                Link?.TrainingChanged(train);
            }

            /// <summary>Sets the training flag to Python's value, without notifying Python.</summary>
            internal void SetTrainingFromPython(bool train) => _training = train;

            /// <summary>
            /// Runs <paramref name="fn"/> on the descendants, children before their parents, then on this module. The children of layers
            /// that TorchSharp implements natively are left out.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.apply">
            /// torch.nn.Module.apply</see>.
            /// </remarks>
            /// <param name="fn">The action.</param>
            /// <returns>This module.</returns>
            public virtual Module apply(Action<Module> fn)
            {
                Nesting.Check();
                if (!IsNative)
                    foreach (var (_, child) in EnumeratedChildren) child.apply(fn);
                fn(this);
                return this;
            }

            /// <summary>
            /// Disposes parameters, buffers and children. Does nothing for a mirrored module: its tensors belong to Python.
            /// </summary>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>
            /// Disposes parameters, buffers and children if called by <see cref="Dispose()"/> and Python does not mirror the module.
            /// </summary>
            /// <param name="disposing">Whether <see cref="Dispose()"/> was called; if false, nothing is done.</param>
            protected virtual void Dispose(bool disposing)
            {
                if (!disposing || Link is not null) return;
                Nesting.Check();
                foreach (var (_, parameter) in _internal_params.Entries) parameter.Dispose();
                foreach (var (_, (buffer, _)) in _internal_buffers.Entries) buffer.Dispose();
                foreach (var (_, child) in Children) child.Dispose();
            }
        }
    }
}
