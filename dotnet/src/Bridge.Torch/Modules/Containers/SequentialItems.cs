using System.Globalization;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using static TorchSharp.torch;

namespace Bridge.Torch
{
    internal static class Sequentials
    {
        internal static Range Range((int? start, int? end) index, int count) => (index.start ?? 0)..(index.end ?? count);

        internal static NotImplementedException NoSlice(nn.Module module) =>
            new($"{module.GetType().Name} has to override Slice, which returns the children of a range as a new module.");
    }

    /// <summary>The children of a Sequential. Two children may have the same name, so they are not registered by name.</summary>
    internal sealed class SequentialItems(nn.Module owner)
    {
        // Changes replace the list, so that a running enumeration goes on. But Add appends in place while there is no Python mirror.
        private volatile List<(string Name, nn.Module Module)> _entries = [];

        /// <summary>Gets the children, synchronized with Python if the Sequential is mirrored.</summary>
        internal List<(string Name, nn.Module Module)> Entries
        {
            get
            {
                owner.Link?.RefreshEntries();
                return _entries;
            }
        }

        /// <summary>Gets the children as of the last synchronization.</summary>
        internal List<(string Name, nn.Module Module)> Known => _entries;

        /// <summary>Returns the children of a copy of the Sequential.</summary>
        internal SequentialItems CopyFor(nn.Module copy) => new(copy) { _entries = [.. _entries] };

        internal SequentialItems AddRange(IEnumerable<(string Name, nn.Module Module)> modules)
        {
            foreach (var (name, module) in modules) Add(name, module);
            return this;
        }

        internal SequentialItems AddRange(IEnumerable<nn.Module> modules)
        {
            foreach (var module in modules) Add(module);
            return this;
        }

        internal void Add(nn.Module module) => Add(Entries.Count.ToString(CultureInfo.InvariantCulture), module);

        /// <summary>Adds a child, also in the Python mirror if there is one.</summary>
        /// <exception cref="ArgumentException">The name is empty or has a dot.</exception>
        /// <exception cref="ArgumentNullException">The module is null.</exception>
        internal void Add(string name, nn.Module module)
        {
            ArgumentNullException.ThrowIfNull(module);
            Components.Check(name, "module");
            if (!nn.Module.LeavesUnregistered) module.RegisterAsChild();
            var before = Entries;
            if (owner.Link is null) before.Add((name, module));
            else owner.Publish(() => _entries = [.. before, (name, module)], () => _entries = before);
        }

        /// <summary>Replaces the children with Python's, except for modules that a derived class has registered itself.</summary>
        internal void SetFromPython(IEnumerable<(string Name, nn.Module Module)> children, List<(string Name, nn.Module Module)> registered)
        {
            var own = registered.Where(item => !_entries.Contains(item)).Select(item => item.Name).ToHashSet();
            _entries = children.Where(item => !own.Contains(item.Name)).ToList();
        }

        /// <summary>
        /// Returns the children and the modules that a derived class has registered, each under a unique name: repeated names get a suffix,
        /// "_2", "_3" and so on.
        /// </summary>
        internal List<(string Name, nn.Module Module)> Named(List<(string Name, nn.Module Module)> registered)
        {
            var entries = Entries;
            var named = new List<(string Name, nn.Module Module)>(entries.Count + registered.Count);
            var all = entries.Concat(registered.Where(item => !entries.Contains(item))).ToList();
            var wanted = all.Select(item => item.Name).ToHashSet();
            var given = new HashSet<string>();
            foreach (var (name, module) in all)
            {
                var unique = name;
                for (var n = 2; given.Contains(unique) || (unique != name && wanted.Contains(unique)); n++) unique = $"{name}_{n}";
                given.Add(unique);
                named.Add((unique, module));
            }

            return named;
        }
    }
}

namespace TorchSharp.Modules
{
    /// <summary>A container of child modules of any type. The <c>forward</c> of a derived class calls them.</summary>
    public abstract class Sequential<T, TResult> : nn.Module<T, TResult>
    {
        /// <summary>Creates a container of named modules for a <c>forward</c> with one argument.</summary>
        /// <param name="modules">The names and modules, in order.</param>
        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) =>
            Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Creates a container of modules named "0", "1", … for a <c>forward</c> with one argument.</summary>
        /// <param name="modules">The modules, in order.</param>
        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Gets the number of child modules of this Sequential with one argument.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the child module at an index.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.Module this[int index] => Items!.Entries[index].Module;

        /// <summary>Gets a new module of the children from <c>start</c> to before <c>end</c>, by <see cref="Slice"/>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T, TResult> this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new module of the children in a range, by <see cref="Slice"/>.</summary>
        /// <param name="index">The range, within the children.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T, TResult> this[Range index] => Slice(index.Start.GetOffset(Count), index.End.GetOffset(Count));

        /// <summary>Returns a new module of the children from <paramref name="start"/> to before <paramref name="end"/>.</summary>
        /// <param name="start">The index of the first child.</param>
        /// <param name="end">The index after the last child.</param>
        /// <exception cref="NotImplementedException">The class does not override this method.</exception>
        protected virtual Sequential<T, TResult> Slice(int start, int end) => throw Sequentials.NoSlice(this);

        /// <summary>Adds a child module at the end, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="sm">The module.</param>
        protected void Add(string name, nn.Module sm) => Items!.Add(name, sm);

        /// <summary>Adds a child module at the end, named by its index.</summary>
        /// <param name="module">The module.</param>
        protected void Add(nn.Module module) => Items!.Add(module);

        /// <summary>Appends a child module, named by its index, and returns this container.</summary>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T, TResult> append(nn.Module module)
        {
            Items!.Add(module);
            return this;
        }

        /// <summary>Appends a child module under a name, and returns this container.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T, TResult> append(string name, nn.Module module)
        {
            Items!.Add(name, module);
            return this;
        }
    }

    /// <summary>A container of child modules for a <c>forward</c> with two arguments.</summary>
    public abstract class Sequential<T1, T2, TResult> : nn.Module<T1, T2, TResult>
    {
        /// <summary>Creates a container of named modules for a <c>forward</c> with two arguments.</summary>
        /// <param name="modules">The names and modules, in order.</param>
        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) =>
            Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Creates a container of modules named "0", "1", … for a <c>forward</c> with two arguments.</summary>
        /// <param name="modules">The modules, in order.</param>
        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Gets the number of child modules of this Sequential with two arguments.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the child module at an index.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.Module this[int index] => Items!.Entries[index].Module;

        /// <summary>Gets a new module of the children from <c>start</c> to before <c>end</c>, by <see cref="Slice"/>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, TResult> this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new module of the children in a range, by <see cref="Slice"/>.</summary>
        /// <param name="index">The range, within the children.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, TResult> this[Range index] => Slice(index.Start.GetOffset(Count), index.End.GetOffset(Count));

        /// <summary>Returns a new module of the children from <paramref name="start"/> to before <paramref name="end"/>.</summary>
        /// <param name="start">The index of the first child.</param>
        /// <param name="end">The index after the last child.</param>
        /// <exception cref="NotImplementedException">The class does not override this method.</exception>
        protected virtual Sequential<T1, T2, TResult> Slice(int start, int end) => throw Sequentials.NoSlice(this);

        /// <summary>Adds a child module at the end, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="sm">The module.</param>
        protected void Add(string name, nn.Module sm) => Items!.Add(name, sm);

        /// <summary>Adds a child module at the end, named by its index.</summary>
        /// <param name="module">The module.</param>
        protected void Add(nn.Module module) => Items!.Add(module);

        /// <summary>Appends a child module, named by its index, and returns this container.</summary>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, TResult> append(nn.Module module)
        {
            Items!.Add(module);
            return this;
        }

        /// <summary>Appends a child module under a name, and returns this container.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, TResult> append(string name, nn.Module module)
        {
            Items!.Add(name, module);
            return this;
        }
    }

    /// <summary>A container of child modules for a <c>forward</c> with three arguments.</summary>
    public abstract class Sequential<T1, T2, T3, TResult> : nn.Module<T1, T2, T3, TResult>
    {
        /// <summary>Creates a container of named modules for a <c>forward</c> with three arguments.</summary>
        /// <param name="modules">The names and modules, in order.</param>
        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) =>
            Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Creates a container of modules named "0", "1", … for a <c>forward</c> with three arguments.</summary>
        /// <param name="modules">The modules, in order.</param>
        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Gets the number of child modules of this Sequential with three arguments.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the child module at an index.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.Module this[int index] => Items!.Entries[index].Module;

        /// <summary>Gets a new module of the children from <c>start</c> to before <c>end</c>, by <see cref="Slice"/>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, TResult> this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new module of the children in a range, by <see cref="Slice"/>.</summary>
        /// <param name="index">The range, within the children.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, TResult> this[Range index] => Slice(index.Start.GetOffset(Count), index.End.GetOffset(Count));

        /// <summary>Returns a new module of the children from <paramref name="start"/> to before <paramref name="end"/>.</summary>
        /// <param name="start">The index of the first child.</param>
        /// <param name="end">The index after the last child.</param>
        /// <exception cref="NotImplementedException">The class does not override this method.</exception>
        protected virtual Sequential<T1, T2, T3, TResult> Slice(int start, int end) => throw Sequentials.NoSlice(this);

        /// <summary>Adds a child module at the end, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="sm">The module.</param>
        protected void Add(string name, nn.Module sm) => Items!.Add(name, sm);

        /// <summary>Adds a child module at the end, named by its index.</summary>
        /// <param name="module">The module.</param>
        protected void Add(nn.Module module) => Items!.Add(module);

        /// <summary>Appends a child module, named by its index, and returns this container.</summary>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, TResult> append(nn.Module module)
        {
            Items!.Add(module);
            return this;
        }

        /// <summary>Appends a child module under a name, and returns this container.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, TResult> append(string name, nn.Module module)
        {
            Items!.Add(name, module);
            return this;
        }
    }

    /// <summary>A container of child modules for a <c>forward</c> with four arguments.</summary>
    public abstract class Sequential<T1, T2, T3, T4, TResult> : nn.Module<T1, T2, T3, T4, TResult>
    {
        /// <summary>Creates a container of named modules for a <c>forward</c> with four arguments.</summary>
        /// <param name="modules">The names and modules, in order.</param>
        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) =>
            Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Creates a container of modules named "0", "1", … for a <c>forward</c> with four arguments.</summary>
        /// <param name="modules">The modules, in order.</param>
        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Gets the number of child modules of this Sequential with four arguments.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the child module at an index.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.Module this[int index] => Items!.Entries[index].Module;

        /// <summary>Gets a new module of the children from <c>start</c> to before <c>end</c>, by <see cref="Slice"/>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, T4, TResult> this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new module of the children in a range, by <see cref="Slice"/>.</summary>
        /// <param name="index">The range, within the children.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, T4, TResult> this[Range index] => Slice(index.Start.GetOffset(Count), index.End.GetOffset(Count));

        /// <summary>Returns a new module of the children from <paramref name="start"/> to before <paramref name="end"/>.</summary>
        /// <param name="start">The index of the first child.</param>
        /// <param name="end">The index after the last child.</param>
        /// <exception cref="NotImplementedException">The class does not override this method.</exception>
        protected virtual Sequential<T1, T2, T3, T4, TResult> Slice(int start, int end) => throw Sequentials.NoSlice(this);

        /// <summary>Adds a child module at the end, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="sm">The module.</param>
        protected void Add(string name, nn.Module sm) => Items!.Add(name, sm);

        /// <summary>Adds a child module at the end, named by its index.</summary>
        /// <param name="module">The module.</param>
        protected void Add(nn.Module module) => Items!.Add(module);

        /// <summary>Appends a child module, named by its index, and returns this container.</summary>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, T4, TResult> append(nn.Module module)
        {
            Items!.Add(module);
            return this;
        }

        /// <summary>Appends a child module under a name, and returns this container.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, T4, TResult> append(string name, nn.Module module)
        {
            Items!.Add(name, module);
            return this;
        }
    }

    /// <summary>A container of child modules for a <c>forward</c> with five arguments.</summary>
    public abstract class Sequential<T1, T2, T3, T4, T5, TResult> : nn.Module<T1, T2, T3, T4, T5, TResult>
    {
        /// <summary>Creates a container of named modules for a <c>forward</c> with five arguments.</summary>
        /// <param name="modules">The names and modules, in order.</param>
        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) =>
            Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Creates a container of modules named "0", "1", … for a <c>forward</c> with five arguments.</summary>
        /// <param name="modules">The modules, in order.</param>
        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Gets the number of child modules of this Sequential with five arguments.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the child module at an index.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.Module this[int index] => Items!.Entries[index].Module;

        /// <summary>Gets a new module of the children from <c>start</c> to before <c>end</c>, by <see cref="Slice"/>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, T4, T5, TResult> this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new module of the children in a range, by <see cref="Slice"/>.</summary>
        /// <param name="index">The range, within the children.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, T4, T5, TResult> this[Range index] => Slice(index.Start.GetOffset(Count), index.End.GetOffset(Count));

        /// <summary>Returns a new module of the children from <paramref name="start"/> to before <paramref name="end"/>.</summary>
        /// <param name="start">The index of the first child.</param>
        /// <param name="end">The index after the last child.</param>
        /// <exception cref="NotImplementedException">The class does not override this method.</exception>
        protected virtual Sequential<T1, T2, T3, T4, T5, TResult> Slice(int start, int end) => throw Sequentials.NoSlice(this);

        /// <summary>Adds a child module at the end, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="sm">The module.</param>
        protected void Add(string name, nn.Module sm) => Items!.Add(name, sm);

        /// <summary>Adds a child module at the end, named by its index.</summary>
        /// <param name="module">The module.</param>
        protected void Add(nn.Module module) => Items!.Add(module);

        /// <summary>Appends a child module, named by its index, and returns this container.</summary>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, T4, T5, TResult> append(nn.Module module)
        {
            Items!.Add(module);
            return this;
        }

        /// <summary>Appends a child module under a name, and returns this container.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, T4, T5, TResult> append(string name, nn.Module module)
        {
            Items!.Add(name, module);
            return this;
        }
    }

    /// <summary>A container of child modules for a <c>forward</c> with six arguments.</summary>
    public abstract class Sequential<T1, T2, T3, T4, T5, T6, TResult> : nn.Module<T1, T2, T3, T4, T5, T6, TResult>
    {
        /// <summary>Creates a container of named modules for a <c>forward</c> with six arguments.</summary>
        /// <param name="modules">The names and modules, in order.</param>
        protected Sequential(params (string name, nn.Module submodule)[] modules) : base(nameof(Sequential)) =>
            Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Creates a container of modules named "0", "1", … for a <c>forward</c> with six arguments.</summary>
        /// <param name="modules">The modules, in order.</param>
        protected Sequential(params nn.Module[] modules) : base(nameof(Sequential)) => Items = new SequentialItems(this).AddRange(modules);

        /// <summary>Gets the number of child modules of this Sequential with six arguments.</summary>
        public int Count => Items!.Entries.Count;

        /// <summary>Gets the child module at an index.</summary>
        /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
        [IndexerName("SequentialItems")]
        public nn.Module this[int index] => Items!.Entries[index].Module;

        /// <summary>Gets a new module of the children from <c>start</c> to before <c>end</c>, by <see cref="Slice"/>.</summary>
        /// <param name="index">The two indices, counted from the beginning; null stands for 0 or the count.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, T4, T5, T6, TResult> this[(int? start, int? end) index] => this[Sequentials.Range(index, Count)];

        /// <summary>Gets a new module of the children in a range, by <see cref="Slice"/>.</summary>
        /// <param name="index">The range, within the children.</param>
        [IndexerName("SequentialItems")]
        public Sequential<T1, T2, T3, T4, T5, T6, TResult> this[Range index] =>
            Slice(index.Start.GetOffset(Count), index.End.GetOffset(Count));

        /// <summary>Returns a new module of the children from <paramref name="start"/> to before <paramref name="end"/>.</summary>
        /// <param name="start">The index of the first child.</param>
        /// <param name="end">The index after the last child.</param>
        /// <exception cref="NotImplementedException">The class does not override this method.</exception>
        protected virtual Sequential<T1, T2, T3, T4, T5, T6, TResult> Slice(int start, int end) => throw Sequentials.NoSlice(this);

        /// <summary>Adds a child module at the end, under a name.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="sm">The module.</param>
        protected void Add(string name, nn.Module sm) => Items!.Add(name, sm);

        /// <summary>Adds a child module at the end, named by its index.</summary>
        /// <param name="module">The module.</param>
        protected void Add(nn.Module module) => Items!.Add(module);

        /// <summary>Appends a child module, named by its index, and returns this container.</summary>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, T4, T5, T6, TResult> append(nn.Module module)
        {
            Items!.Add(module);
            return this;
        }

        /// <summary>Appends a child module under a name, and returns this container.</summary>
        /// <param name="name">The name, without a dot.</param>
        /// <param name="module">The module.</param>
        /// <returns>This container.</returns>
        public Sequential<T1, T2, T3, T4, T5, T6, TResult> append(string name, nn.Module module)
        {
            Items!.Add(name, module);
            return this;
        }
    }
}
