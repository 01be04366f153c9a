using System.Globalization;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>A module that calls its children one after another (I-15). Children without a name are named "0", "1", …</summary>
    /// <remarks>
    /// Unlike TorchSharp's Sequential, it does not dispose an intermediate result that other code, such as a hook, may hold. In a call from
    /// Python, the result of a built-in module is freed at once if only the next module gets it, as in PyTorch.
    /// </remarks>
    public class Sequential : nn.Module<Tensor, Tensor>
    {
        private OperatorChain.Callees _callees = new([], null);

        protected internal Sequential(params (string name, nn.Module<Tensor, Tensor> submodule)[] modules) : base(nameof(Sequential))
        {
            MakesIntermediates = GetType() != typeof(Sequential);
            Items = new(this);
            foreach (var (name, module) in modules) append(name, module);
        }

        protected internal Sequential(params nn.Module<Tensor, Tensor>[] modules) : base(nameof(Sequential))
        {
            MakesIntermediates = GetType() != typeof(Sequential);
            Items = new(this);
            foreach (var module in modules) append(module);
        }

        public int Count => Items!.Entries.Count;

        [IndexerName("SequentialItems")]
        public nn.IModule<Tensor, Tensor> this[int index] => (nn.IModule<Tensor, Tensor>)Items!.Entries[index].Module;

        /// <summary>A new Sequential of the modules from <c>start</c> to before <c>end</c>; null stands for 0 or the count.</summary>
        [IndexerName("SequentialItems")]
        public Sequential this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>A new Sequential of the modules in a range, under the same names and without this module's hooks (I-15).</summary>
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

        public Sequential append(nn.IModule<Tensor, Tensor> module) => append(Count.ToString(CultureInfo.InvariantCulture), module);

        /// <exception cref="ArgumentNullException">The module is null.</exception>
        /// <exception cref="ArgumentException">The module is not a <see cref="nn.Module"/>, or the name is empty or has a dot.</exception>
        public Sequential append(string name, nn.IModule<Tensor, Tensor> module)
        {
            ArgumentNullException.ThrowIfNull(module);
            Items!.Add(name, module as nn.Module ?? throw new ArgumentException($"{module.GetType().Name} is not a torch.nn.Module.",
                nameof(module)));
            return this;
        }

        public override Tensor forward(Tensor input)
        {
            // Not for a derived class: its override of `forward` may call this method, even if Python has replaced the module.
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

            return ran == callees.Modules.Length ? input : RunRemainingInScope(callees, epoch, ran, input, made, scopes);
        }

        private Tensor RunRemainingInScope(OperatorChain.Callees callees, long epoch, int first, Tensor input, Tensor? made,
            DisposeScopeManager scopes)
        {
            var scope = new DisposeScope(ofCall: true, callee: this);
            try
            {
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

            return input;
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
            public static Modules.Sequential Sequential() => new(Array.Empty<Module<Tensor, Tensor>>());

            public static Modules.Sequential Sequential(params (string name, Module<Tensor, Tensor> submodule)[] modules) => new(modules);

            public static Modules.Sequential Sequential(params Module<Tensor, Tensor>[] modules) => new(modules);

            public static Modules.Sequential Sequential(params Tuple<string, Module<Tensor, Tensor>>[] modules) =>
                new(modules.Select(item => (item.Item1, item.Item2)).ToArray());

            public static Modules.Sequential Sequential(IEnumerable<Tuple<string, Module<Tensor, Tensor>>> modules) =>
                new(modules.Select(item => (item.Item1, item.Item2)).ToArray());

            public static Modules.Sequential Sequential(IEnumerable<(string name, Module<Tensor, Tensor> submodule)> modules) =>
                new(modules.ToArray());

            public static Modules.Sequential Sequential(IEnumerable<Module<Tensor, Tensor>> modules) => new(modules.ToArray());
        }
    }
}
