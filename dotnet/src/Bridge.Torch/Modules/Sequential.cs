using System.Globalization;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Calls its children one after another (I-15). Children without a name are called "0", "1", …</summary>
    /// <remarks>Unlike TorchSharp's, it disposes no intermediate results: a hook may have kept one, and a call from Python frees them all when it ends.</remarks>
    public class Sequential : nn.Module<Tensor, Tensor>
    {
        // A Module<Tensor, Tensor> is called without an interface.
        private readonly List<(nn.Module<Tensor, Tensor>? Module, nn.IModule<Tensor, Tensor> Any)> _modules = [];
        private readonly SequentialItems _items;

        protected internal Sequential(params (string name, nn.Module<Tensor, Tensor> submodule)[] modules) : base(nameof(Sequential))
        {
            _items = new(this);
            foreach (var (name, module) in modules) append(name, module);
        }

        protected internal Sequential(params nn.Module<Tensor, Tensor>[] modules) : base(nameof(Sequential))
        {
            _items = new(this);
            foreach (var module in modules) append(module);
        }

        private protected override SequentialItems? Items => _items;

        public int Count => _modules.Count;

        [IndexerName("SequentialItems")]
        public nn.IModule<Tensor, Tensor> this[int index] => _modules[index].Any;

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

        public Sequential append(nn.IModule<Tensor, Tensor> module) => append(_modules.Count.ToString(CultureInfo.InvariantCulture), module);

        /// <exception cref="ArgumentException">It is not a module.</exception>
        public Sequential append(string name, nn.IModule<Tensor, Tensor> module)
        {
            _items.Add(name, module as nn.Module ?? throw new ArgumentException($"{module.GetType().Name} is not a torch.nn.Module.", nameof(module)));
            _modules.Add((module as nn.Module<Tensor, Tensor>, module));
            return this;
        }

        public override Tensor forward(Tensor input)
        {
            if (_modules.Count == 0) return input.alias();
            foreach (var (module, any) in _modules) input = module is null ? any.call(input) : module.call(input);
            return input;
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
