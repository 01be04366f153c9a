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
        private Callees _callees = new([]);

        protected internal Sequential(params (string name, nn.Module<Tensor, Tensor> submodule)[] modules) : base(nameof(Sequential))
        {
            Items = new(this);
            foreach (var (name, module) in modules) append(name, module);
        }

        protected internal Sequential(params nn.Module<Tensor, Tensor>[] modules) : base(nameof(Sequential))
        {
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
            var entries = Items!.Entries;
            var callees = _callees;
            if (callees.Entries != entries || callees.Modules.Length != entries.Count) _callees = callees = new(entries);
            if (callees.Modules.Length == 0) return input.alias();
            var mine = DisposeScopeManager.Mine;
            var frees = DisposeScope.IsCall(mine);
            Tensor? made = null; // what a built-in made, which nobody else has
            foreach (var (module, any) in callees.Modules)
            {
                var isBuiltIn = false;
                var result = module is null ? any.call(input) : module.CallSeen(input, out isBuiltIn);
                if (isBuiltIn && !ReferenceEquals(result, made)) made?.DisposeForReuse(mine);
                made = isBuiltIn && frees ? result : null;
                input = result;
            }

            return input;
        }

        internal override Type? EntryType => typeof(nn.Module<Tensor, Tensor>);

        internal override bool Fits(nn.Module entry) => entry is nn.IModule<Tensor, Tensor>;

        // A Module<Tensor, Tensor> is called without an interface.
        private sealed class Callees(List<(string Name, nn.Module Module)> entries)
        {
            internal readonly List<(string Name, nn.Module Module)> Entries = entries;

            internal readonly (nn.Module<Tensor, Tensor>? Module, nn.IModule<Tensor, Tensor> Any)[] Modules =
                entries.Select(item => (item.Module as nn.Module<Tensor, Tensor>, (nn.IModule<Tensor, Tensor>)item.Module)).ToArray();
        }
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
