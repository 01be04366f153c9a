using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>A module of a model.</summary>
/// <param name="Module">The object.</param>
/// <param name="Path">Its path, the root's is empty.</param>
/// <param name="Parent">What it was found below; null for the root.</param>
internal sealed record ModuleNode(object Module, string Path, ModuleNode? Parent)
{
    /// <summary>The class as traces name it: without namespace and type arguments.</summary>
    internal string Type { get; } = Module.GetType().Name.Split('`')[0];

    /// <summary>Where its hooks are; null where it has none.</summary>
    internal HookSlots? Slots { get; set; }

    /// <summary>Whether it was called while somebody listened.</summary>
    internal bool Called { get; set; }

    /// <summary>Whether it has other paths, too.</summary>
    internal bool Shared { get; set; }

    /// <summary>What it has, by name: also what has its path elsewhere.</summary>
    internal Dictionary<string, ModuleNode> Children { get; } = [];

    /// <summary>The module that a path leads to from here; null where there is none.</summary>
    internal ModuleNode? Find(string path)
    {
        var at = this;
        foreach (var name in path.Length == 0 ? [] : path.Split('.'))
            if (!at.Children.TryGetValue(name, out at)) return null;
        return at;
    }
}

/// <summary>The distinct modules of a model in PyTorch's order, with PyTorch's paths: depth first, each once, under its first path.</summary>
/// <remarks>TorchSharp's own <c>named_modules()</c> has another order, lists a shared module twice, and does not end where modules contain each other.</remarks>
internal sealed class ModuleTree
{
    private readonly Func<object, IEnumerable<(string, object)>> _children;
    private readonly Dictionary<object, ModuleNode> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly List<ModuleNode> _found = [];

    private ModuleTree(Library library) =>
        _children = ((ChildReader)Activator.CreateInstance(typeof(ChildReader<>).MakeGenericType(library.Module))!).Read;

    /// <summary>The modules of a model, itself first.</summary>
    internal static List<ModuleNode> Of(object model, Library library)
    {
        var tree = new ModuleTree(library);
        tree.Add(new(model, "", null));
        return tree._found;
    }

    private void Add(ModuleNode node)
    {
        _seen.Add(node.Module, node);
        _found.Add(node);
        // A TorchScript module gives new objects each time (rule 55): hooks on those would be heard by nobody.
        if (node.Module.GetType().FullName!.StartsWith("TorchSharp.torch+jit", StringComparison.Ordinal)) return;
        var names = new HashSet<string>();
        foreach (var (name, child) in _children(node.Module))
        {
            // A Sequential may have two of one name (rule 45).
            var own = name;
            for (var i = 2; !names.Add(own); i++) own = $"{name}_{i}";
            if (child is null) continue;
            if (_seen.TryGetValue(child, out var found)) found.Shared = true;
            else Add(found = new(child, node.Path.Length == 0 ? own : $"{node.Path}.{own}", node));
            node.Children.Add(own, found);
        }
    }

    private abstract class ChildReader
    {
        internal abstract IEnumerable<(string, object)> Read(object module);
    }

    // The enumerator with the item's type, since the one without throws (rule 59).
    private sealed class ChildReader<TModule> : ChildReader
        where TModule : class
    {
        private readonly Func<TModule, IEnumerable<(string, TModule)>> _children =
            typeof(TModule).GetMethod("named_children", BindingFlags.Public | BindingFlags.Instance, [])!
                .CreateDelegate<Func<TModule, IEnumerable<(string, TModule)>>>();

        internal override IEnumerable<(string, object)> Read(object module)
        {
            foreach (var (name, child) in _children((TModule)module)) yield return (name, child);
        }
    }
}
