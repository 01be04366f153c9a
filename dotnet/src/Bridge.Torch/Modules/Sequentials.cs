using System.Globalization;
using Bridge.Torch;
using static TorchSharp.torch;

namespace Bridge.Torch
{
    /// <summary>The children of a Sequential whose class says in <c>forward</c> how they are called.</summary>
    internal sealed class SequentialItems(nn.Module owner)
    {
        private readonly List<nn.Module> _modules = [];

        internal int Count => _modules.Count;

        internal nn.Module this[int index] => _modules[index];

        internal SequentialItems With(IEnumerable<(string Name, nn.Module Module)> modules)
        {
            foreach (var (name, module) in modules) Add(name, module);
            return this;
        }

        internal SequentialItems With(IEnumerable<nn.Module> modules)
        {
            foreach (var module in modules) Add(module);
            return this;
        }

        internal void Add(nn.Module module) => Add(_modules.Count.ToString(CultureInfo.InvariantCulture), module);

        internal void Add(string name, nn.Module module)
        {
            owner.register_module(name, module);
            _modules.Add(module);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <summary>Children of any type, one after another; a class that derives from it says in <c>forward</c> how they are called.</summary>
    public abstract class Sequential<T, TResult> : nn.Module<T, TResult>
    {
        private readonly SequentialItems _items;

        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        public int Count => _items.Count;

        public nn.Module this[int index] => _items[index];

        public Sequential<T, TResult> append(nn.Module module)
        {
            _items.Add(module);
            return this;
        }

        public Sequential<T, TResult> append(string name, nn.Module module)
        {
            _items.Add(name, module);
            return this;
        }
    }

    /// <summary>The same for two arguments.</summary>
    public abstract class Sequential<T1, T2, TResult> : nn.Module<T1, T2, TResult>
    {
        private readonly SequentialItems _items;

        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        public int Count => _items.Count;

        public nn.Module this[int index] => _items[index];

        public Sequential<T1, T2, TResult> append(nn.Module module)
        {
            _items.Add(module);
            return this;
        }

        public Sequential<T1, T2, TResult> append(string name, nn.Module module)
        {
            _items.Add(name, module);
            return this;
        }
    }

    /// <summary>The same for three arguments.</summary>
    public abstract class Sequential<T1, T2, T3, TResult> : nn.Module<T1, T2, T3, TResult>
    {
        private readonly SequentialItems _items;

        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        public int Count => _items.Count;

        public nn.Module this[int index] => _items[index];

        public Sequential<T1, T2, T3, TResult> append(nn.Module module)
        {
            _items.Add(module);
            return this;
        }

        public Sequential<T1, T2, T3, TResult> append(string name, nn.Module module)
        {
            _items.Add(name, module);
            return this;
        }
    }

    /// <summary>The same for four arguments.</summary>
    public abstract class Sequential<T1, T2, T3, T4, TResult> : nn.Module<T1, T2, T3, T4, TResult>
    {
        private readonly SequentialItems _items;

        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        public int Count => _items.Count;

        public nn.Module this[int index] => _items[index];

        public Sequential<T1, T2, T3, T4, TResult> append(nn.Module module)
        {
            _items.Add(module);
            return this;
        }

        public Sequential<T1, T2, T3, T4, TResult> append(string name, nn.Module module)
        {
            _items.Add(name, module);
            return this;
        }
    }

    /// <summary>The same for five arguments.</summary>
    public abstract class Sequential<T1, T2, T3, T4, T5, TResult> : nn.Module<T1, T2, T3, T4, T5, TResult>
    {
        private readonly SequentialItems _items;

        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        public int Count => _items.Count;

        public nn.Module this[int index] => _items[index];

        public Sequential<T1, T2, T3, T4, T5, TResult> append(nn.Module module)
        {
            _items.Add(module);
            return this;
        }

        public Sequential<T1, T2, T3, T4, T5, TResult> append(string name, nn.Module module)
        {
            _items.Add(name, module);
            return this;
        }
    }

    /// <summary>The same for six arguments.</summary>
    public abstract class Sequential<T1, T2, T3, T4, T5, T6, TResult> : nn.Module<T1, T2, T3, T4, T5, T6, TResult>
    {
        private readonly SequentialItems _items;

        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => _items = new SequentialItems(this).With(modules);

        public int Count => _items.Count;

        public nn.Module this[int index] => _items[index];

        public Sequential<T1, T2, T3, T4, T5, T6, TResult> append(nn.Module module)
        {
            _items.Add(module);
            return this;
        }

        public Sequential<T1, T2, T3, T4, T5, T6, TResult> append(string name, nn.Module module)
        {
            _items.Add(name, module);
            return this;
        }
    }
}
