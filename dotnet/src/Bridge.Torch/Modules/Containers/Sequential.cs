using System.Globalization;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>A module that calls its children one after another (I-15). Children without a name are named "0", "1", …</summary>
    /// <remarks>
    /// Unlike TorchSharp's Sequential, it does not dispose an intermediate result that other code, such as a hook, may hold. In a call from
    /// Python, the result of a built-in module is freed at once if only the next module gets it, as in PyTorch. PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html">torch.nn.Sequential</see>.
    /// </remarks>
    public class Sequential : nn.Module<Tensor, Tensor>
    {
        private OperatorChain.Callees _callees = new([], null);

        /// <summary>Creates a sequence of named modules.</summary>
        /// <param name="modules">The names and modules, in the order of their calls.</param>
        protected internal Sequential(params (string name, nn.Module<Tensor, Tensor> submodule)[] modules) : base(nameof(Sequential))
        {
            MakesIntermediates = GetType() != typeof(Sequential);
            Items = new(this);
            foreach (var (name, module) in modules) append(name, module);
        }

        /// <summary>Creates a sequence of modules named "0", "1", …</summary>
        /// <param name="modules">The modules, in the order of their calls.</param>
        protected internal Sequential(params nn.Module<Tensor, Tensor>[] modules) : base(nameof(Sequential))
        {
            MakesIntermediates = GetType() != typeof(Sequential);
            Items = new(this);
            foreach (var module in modules) append(module);
        }

        /// <summary>Gets the number of modules in this Sequential.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the module at an index of this Sequential.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.IModule<Tensor, Tensor> this[int index] => (nn.IModule<Tensor, Tensor>)Items!.Entries[index].Module;

        /// <summary>Gets a new Sequential of the modules from <c>start</c> to before <c>end</c>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new Sequential of the modules in a range, under the same names and without this module's hooks (I-15).</summary>
        /// <param name="index">The range.</param>
        [IndexerName("SequentialItems")]
        public Sequential this[Range index]
        {
            get
            {
                var part = new Sequential(Array.Empty<nn.Module<Tensor, Tensor>>());
                foreach (var (name, module) in named_children().Take(index)) part.append(name, (nn.IModule<Tensor, Tensor>)module);
                return part;
            }
        }

        /// <summary>Adds a module at the end of the sequence, named by its index.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html#torch.nn.Sequential.append">
        /// torch.nn.Sequential.append</see>.
        /// </remarks>
        /// <param name="module">The module.</param>
        /// <returns>This module.</returns>
        public Sequential append(nn.IModule<Tensor, Tensor> module) => append(Count.ToString(CultureInfo.InvariantCulture), module);

        /// <summary>Adds a module at the end of the sequence, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This module.</returns>
        /// <exception cref="ArgumentNullException">The module is null.</exception>
        /// <exception cref="ArgumentException">The module is not a <see cref="nn.Module"/>, or the name is empty or has a dot.</exception>
        public Sequential append(string name, nn.IModule<Tensor, Tensor> module)
        {
            ArgumentNullException.ThrowIfNull(module);
            Items!.Add(name, module as nn.Module ?? throw new ArgumentException($"{module.GetType().Name} is not a torch.nn.Module.",
                nameof(module)));
            return this;
        }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input)
        {
            // A derived class is excluded: its override of `forward` may call this method, even if Python has replaced the module.
            if (Link is { RunsInPython: true } link && GetType() == typeof(Sequential)) return Tuples<Tensor>.Pack(link.Forward([input]));
            var epoch = ModuleLink.CurrentEpoch;
            var callees = Callees;
            if (callees.Modules.Length == 0) return input.alias();
            var scopes = DisposeScopeManager.ForThread;
            // MakesIntermediates is true for a derived class, which runs in its own scope.
            if (MakesIntermediates || DisposeScope.OfCall(scopes) is not { } around) return Run(callees, epoch, 0, input, null, scopes);
            Tensor? made = null;
            var within = around.Enter(this);
            int ran;
            try
            {
                ran = OperatorChain.Run(callees, epoch, 0, ref input, ref made, scopes);
            }
            finally
            {
                around.Leave(within);
            }

            return ran == callees.Modules.Length ? Made(input, made) : RunRemainingInScope(callees, epoch, ran, input, made, scopes);
        }

        // Returns a result. `made` is the result if no other code refers to it.
        private static Tensor Made(Tensor result, Tensor? made)
        {
            if (made?.Large is { } large && ReferenceEquals(made, result)) large.IsUsedOnce = true;
            return result;
        }

        private Tensor RunRemainingInScope(OperatorChain.Callees callees, long epoch, int first, Tensor input, Tensor? made,
            DisposeScopeManager scopes)
        {
            var scope = new DisposeScope(ofCall: true, callee: this);
            try
            {
                scope.BeginForward(scopes);
                var result = Run(callees, epoch, first, input, made, scopes);
                ReachableTensors.MoveToOuter(result, scope);
                return result;
            }
            finally
            {
                EndScope(scope, input);
            }
        }

        // Runs the modules from an index on. `made` is the input if a built-in created it and no other code refers to it, otherwise null.
        private Tensor Run(OperatorChain.Callees callees, long epoch, int first, Tensor input, Tensor? made, DisposeScopeManager scopes)
        {
            var frees = DisposeScope.IsCall(scopes);
            for (var i = first; i < callees.Modules.Length; i++)
            {
                if (epoch != ModuleLink.CurrentEpoch)
                {
                    epoch = ModuleLink.CurrentEpoch;
                    callees = UpdateCallees(callees);
                }

                if (frees && OperatorChain.Run(callees, epoch, i, ref input, ref made, scopes) is > 0 and var ran)
                {
                    i += ran - 1;
                    continue;
                }

                var (module, callable) = callees.Modules[i];
                var isUnshared = false;
                var result = module is null ? callable.call(input) : module.CallInSequential(input, out isUnshared);
                if (isUnshared && !ReferenceEquals(result, made)) made?.DisposeForReuse(scopes);
                made = isUnshared && frees ? result : null;
                input = result;
            }

            return Made(input, made);
        }

        private OperatorChain.Callees Callees
        {
            get
            {
                var (entries, known) = (Items!.Entries, _callees);
                return known.Matches(entries, Link) ? known : _callees = new(entries, Link);
            }
        }

        // As in PyTorch (and Components.Walk), a replacement of a child during the call counts if the child's turn is still to come.
        private OperatorChain.Callees UpdateCallees(OperatorChain.Callees before)
        {
            Link?.RefreshUnlessCollected();
            var entries = Items!.Known;
            return entries.Count != before.Modules.Length || before.Matches(entries, Link) ? before : _callees = new(entries, Link);
        }

        internal override Type? EntryType => typeof(nn.Module<Tensor, Tensor>);

        internal override bool Fits(nn.Module entry) => entry is nn.IModule<Tensor, Tensor>;
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates a Sequential without modules, to which modules can be appended.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html">torch.nn.Sequential</see>.
            /// </remarks>
            public static Modules.Sequential Sequential() => new(Array.Empty<Module<Tensor, Tensor>>());

            /// <summary>Creates a Sequential of named modules.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html">torch.nn.Sequential</see>.
            /// </remarks>
            /// <param name="modules">The names and modules, in the order of their calls.</param>
            public static Modules.Sequential Sequential(params (string name, Module<Tensor, Tensor> submodule)[] modules) => new(modules);

            /// <summary>Creates a Sequential of modules, which are named "0", "1", …</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html">torch.nn.Sequential</see>.
            /// </remarks>
            /// <param name="modules">The modules, in the order of their calls.</param>
            public static Modules.Sequential Sequential(params Module<Tensor, Tensor>[] modules) => new(modules);

            /// <summary>Creates a Sequential of named modules, given as tuples of class Tuple.</summary>
            /// <param name="modules">The names and modules, in the order of their calls.</param>
            public static Modules.Sequential Sequential(params Tuple<string, Module<Tensor, Tensor>>[] modules) =>
                new(modules.Select(item => (item.Item1, item.Item2)).ToArray());

            /// <summary>Creates a Sequential of a sequence of named modules, given as tuples of class Tuple.</summary>
            /// <param name="modules">The names and modules, in the order of their calls.</param>
            public static Modules.Sequential Sequential(IEnumerable<Tuple<string, Module<Tensor, Tensor>>> modules) =>
                new(modules.Select(item => (item.Item1, item.Item2)).ToArray());

            /// <summary>Creates a Sequential of a sequence of named modules.</summary>
            /// <param name="modules">The names and modules, in the order of their calls.</param>
            public static Modules.Sequential Sequential(IEnumerable<(string name, Module<Tensor, Tensor> submodule)> modules) =>
                new(modules.ToArray());

            /// <summary>Creates a Sequential of a sequence of modules, which are named "0", "1", …</summary>
            /// <param name="modules">The modules, in the order of their calls.</param>
            public static Modules.Sequential Sequential(IEnumerable<Module<Tensor, Tensor>> modules) => new(modules.ToArray());
        }
    }
}
