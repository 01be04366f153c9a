using System.Globalization;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Calls its children one after another (I-15). Children without a name are called "0", "1", …</summary>
    /// <remarks>
    /// Unlike TorchSharp's, it disposes no intermediate result that anybody else may have: a hook may have kept one. What one built-in made for the
    /// next is freed at once below a call from Python, as in PyTorch.
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

        /// <summary>The same as a range; null is the first, or one behind the last.</summary>
        [IndexerName("SequentialItems")]
        public Sequential this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>A new Sequential of the same modules under the same names, without the hooks of this one (I-15).</summary>
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

        /// <exception cref="ArgumentException">It is not a module.</exception>
        public Sequential append(string name, nn.IModule<Tensor, Tensor> module)
        {
            Items!.Add(name, module as nn.Module ?? throw new ArgumentException($"{module.GetType().Name} is not a torch.nn.Module.", nameof(module)));
            return this;
        }

        public override Tensor forward(Tensor input)
        {
            // A class that derives from it may have Python call this one.
            if (Link is { IsElsewhere: true } link && GetType() == typeof(Sequential)) return Tuples<Tensor>.Pack(link.Forward([input]));
            var epoch = ModuleLink.Now;
            var callees = Callees;
            if (callees.Modules.Length == 0) return input.alias();
            var mine = DisposeScopeManager.Mine;
            // The scope that a derived class runs in is its own.
            if (MakesIntermediates || DisposeScope.OfCall(mine) is not { } around) return Run(callees, epoch, 0, input, null, mine);
            Tensor? made = null;
            var within = around.Enter(this);
            int ran;
            try
            {
                ran = OperatorChain.Run(callees, epoch, 0, ref input, ref made, mine);
            }
            finally
            {
                around.Leave(within);
            }

            return ran == callees.Modules.Length ? input : RunInScope(callees, epoch, ran, input, made, mine);
        }

        private Tensor RunInScope(OperatorChain.Callees callees, long epoch, int first, Tensor input, Tensor? made, DisposeScopeManager mine)
        {
            var scope = new DisposeScope(ofCall: true, callee: this);
            try
            {
                var result = Run(callees, epoch, first, input, made, mine);
                Survivors.Return(result, scope);
                return result;
            }
            finally
            {
                EndScope(scope, input);
            }
        }

        // From the first on; `made` is the input if a built-in made it and nobody else has it.
        private Tensor Run(OperatorChain.Callees callees, long epoch, int first, Tensor input, Tensor? made, DisposeScopeManager mine)
        {
            var frees = DisposeScope.IsCall(mine);
            for (var i = first; i < callees.Modules.Length; i++)
            {
                if (epoch != ModuleLink.Now)
                {
                    epoch = ModuleLink.Now;
                    callees = Later(callees);
                }

                if (frees && OperatorChain.Run(callees, epoch, i, ref input, ref made, mine) is > 0 and var ran)
                {
                    i += ran - 1;
                    continue;
                }

                var (module, any) = callees.Modules[i];
                var isBuiltIn = false;
                var result = module is null ? any.call(input) : module.CallSeen(input, out isBuiltIn);
                if (isBuiltIn && !ReferenceEquals(result, made)) made?.DisposeForReuse(mine);
                made = isBuiltIn && frees ? result : null;
                input = result;
            }

            return input;
        }

        private OperatorChain.Callees Callees
        {
            get
            {
                var (entries, known) = (Items!.Entries, _callees);
                return known.Are(entries, Link) ? known : _callees = new(entries, Link);
            }
        }

        // As Components.Walk: in PyTorch a module is called that is there when its turn comes.
        private OperatorChain.Callees Later(OperatorChain.Callees before)
        {
            Link?.RefreshIfThere();
            var entries = Items!.Known;
            return entries.Count != before.Modules.Length || before.Are(entries, Link) ? before : _callees = new(entries, Link);
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

            public static Modules.Sequential Sequential(params Tuple<string, Module<Tensor, Tensor>>[] modules) => new(modules.Select(item => (item.Item1, item.Item2)).ToArray());

            public static Modules.Sequential Sequential(IEnumerable<Tuple<string, Module<Tensor, Tensor>>> modules) => new(modules.Select(item => (item.Item1, item.Item2)).ToArray());

            public static Modules.Sequential Sequential(IEnumerable<(string name, Module<Tensor, Tensor> submodule)> modules) => new(modules.ToArray());

            public static Modules.Sequential Sequential(IEnumerable<Module<Tensor, Tensor>> modules) => new(modules.ToArray());
        }
    }
}
