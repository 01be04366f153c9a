using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>A node of the module tree: children, parameters, buffers, training flag. It cannot be called (see the typed ones).</summary>
        /// <remarks>
        /// Signatures, registration and the order of what is enumerated are TorchSharp's. Python's view of the same tree, its paths and its keys are PyTorch's
        /// (root path "", depth first, without duplicates).
        /// </remarks>
        public partial class Module : IDisposable
        {
            private static int _ids;
            protected Utils.OrderedDict<string, Module> _internal_submodules = new();
            protected Utils.OrderedDict<string, (Tensor, bool)> _internal_buffers = new();
            protected Utils.OrderedDict<string, Parameter> _internal_params = new();
            protected string? name;
            private bool _training = true;
            private Tuple<(object?, System.Reflection.FieldInfo)[], int>? _retainingFields;

            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) => throw new NotSupportedException(
                "Module(IntPtr, IntPtr) takes a module of TorchSharp's native library, which Bridge.Torch does not have; use Module(string name).");

            protected Module(string name)
            {
                this.name = name;
                Id = Interlocked.Increment(ref _ids);
            }

            /// <summary>Identifies the module in a trace; unique in the process.</summary>
            internal int Id { get; private set; }

            /// <summary>What Python knows it by.</summary>
            internal virtual long Number => Id;

            /// <summary>False for a built-in that makes only its result: its call then needs no scope.</summary>
            private protected bool MakesIntermediates { get; init; } = true;

            /// <summary>It is a built-in without others in it, which keeps neither its arguments nor its result.</summary>
            private protected bool RetainsNothing => !MakesIntermediates && EntryType is null;

            /// <summary>The module's <c>forward</c> is the user's, and may start tasks that call modules.</summary>
            private protected bool StartsTasks => MakesIntermediates && GetType().Assembly != typeof(Module).Assembly;

            /// <summary>Fields below this module, and static ones, that could keep a tensor beyond a call.</summary>
            internal (object?, System.Reflection.FieldInfo)[] RetainingFields
            {
                get
                {
                    // One reference has them and what they are of: of two threads that look, neither's count may be found with the other's fields.
                    var changes = EntryChanges;
                    if (_retainingFields is not { } known || known.Item2 != changes) _retainingFields = known = new(ReachableTensors.RetainingFields(this), changes);
                    return known.Item1;
                }
            }

            /// <summary>What <c>forward</c> is if it is one operator now, on its argument and tensors of the module's; null for every other module.</summary>
            internal virtual ForwardOperator? Operator => null;

            /// <summary>The Python side of the module, if it is mirrored.</summary>
            internal ModuleLink? Link { get; set; }

            /// <summary>Makes this object, which has all fields of another module, a module of its own.</summary>
            /// <returns>Whether the other one is mirrored.</returns>
            internal bool MakeIndependent()
            {
                var mirrored = Link is not null;
                (Id, Link, _retainingFields) = (Interlocked.Increment(ref _ids), null, null);
                return mirrored;
            }

            /// <summary>The entries of this copy are its own.</summary>
            internal void CopyItems() => Items = Items?.CopyFor(this);

            /// <summary>True in training mode, which dropout and batch norm follow.</summary>
            public virtual bool training
            {
                get
                {
                    // Python may have written it since.
                    if (Link is { IsCollected: false } link) link.RefreshTraining();
                    return _training;
                }
            }

            public virtual string GetName() => name!;

            /// <summary>Sets the training flag of this module and of all below it.</summary>
            public virtual void train(bool train = true)
            {
                Nesting.Check();
                if (Link is { RunsInPython: true } link && link.TrainingChanged(train)) return;
                SetTraining(train);
                foreach (var (_, child) in Children) child.train(train);
            }

            public virtual void eval()
            {
                if (Link is { RunsInPython: true } link && link.TrainingChanged(false)) return;
                train(false);
                if (Items is null) return;
                foreach (var (_, child) in Children) child.eval();
            }

            /// <summary>Forgets the gradients of all parameters, or makes them zero.</summary>
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

            /// <summary>The flag as Python set it; Python is not notified.</summary>
            internal void SetTrainingFromPython(bool train) => _training = train;

            /// <summary>Runs <paramref name="fn"/> on every module below, children first, then on this one.</summary>
            public virtual Module apply(Action<Module> fn)
            {
                Nesting.Check();
                if (!IsNative)
                    foreach (var (_, child) in EnumeratedChildren) child.apply(fn);
                fn(this);
                return this;
            }

            /// <summary>Dispose parameters, buffers and children. A mirrored module's tensors belong to Python and stay.</summary>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

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
