using System.Globalization;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Calls its children one after another (I-15). Children without a name are called "0", "1", …</summary>
    /// <remarks>Unlike TorchSharp's, it disposes no intermediate results: a hook may have kept one, and a call from Python frees them all when it ends.</remarks>
    public class Sequential : nn.Module<Tensor, Tensor>
    {
        private readonly List<nn.Module<Tensor, Tensor>> _modules = [];

        protected internal Sequential(params (string name, nn.Module<Tensor, Tensor> submodule)[] modules) : base(nameof(Sequential))
        {
            foreach (var (name, module) in modules) append(name, module);
        }

        protected internal Sequential(params nn.Module<Tensor, Tensor>[] modules) : base(nameof(Sequential))
        {
            foreach (var module in modules) append(module);
        }

        public int Count => _modules.Count;

        public nn.Module<Tensor, Tensor> this[int index] => _modules[index];

        /// <summary>A new Sequential of the same modules under the same names, without the hooks of this one (I-15).</summary>
        public Sequential this[Range range] => new(named_children().Select(item => (item.name, (nn.Module<Tensor, Tensor>)item.module)).Take(range).ToArray());

        public Sequential append(nn.Module<Tensor, Tensor> module) => append(_modules.Count.ToString(CultureInfo.InvariantCulture), module);

        public Sequential append(string name, nn.Module<Tensor, Tensor> module)
        {
            register_module(name, module);
            _modules.Add(module);
            return this;
        }

        public override Tensor forward(Tensor input)
        {
            if (_modules.Count == 0) return input.alias();
            foreach (var module in _modules) input = module.call(input);
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

            public static Modules.Sequential Sequential(IEnumerable<(string name, Module<Tensor, Tensor> submodule)> modules) => new(modules.ToArray());

            public static Modules.Sequential Sequential(IEnumerable<Module<Tensor, Tensor>> modules) => new(modules.ToArray());
        }
    }
}
