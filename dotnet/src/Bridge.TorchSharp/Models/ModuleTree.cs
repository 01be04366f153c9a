using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>A module of a model.</summary>
/// <param name="Module">The module object.</param>
/// <param name="Path">The module's path; empty for the root.</param>
/// <param name="Parent">The first parent; null for the root.</param>
internal sealed record ModuleNode(object Module, string Path, ModuleNode? Parent)
{
    /// <summary>Gets the name of the class without namespace and type arguments, as in traces.</summary>
    internal string Type { get; } = Module.GetType().Name.Split('`')[0];

    /// <summary>Gets or sets the module's hooks; null if the class cannot be hooked.</summary>
    internal HookDictionaries? Hooks { get; set; }

    /// <summary>Gets or sets the paths of the modules that are native code within this one.</summary>
    internal IReadOnlyList<string> NativeModules { get; set; } = [];

    /// <summary>Gets or sets whether a call of the module was recorded.</summary>
    internal bool Called { get; set; }

    /// <summary>Gets or sets whether the module was found more than once: in several modules, or under several names.</summary>
    internal bool Shared { get; set; }

    /// <summary>Gets the child modules by name, including shared ones whose first path is elsewhere.</summary>
    internal Dictionary<string, ModuleNode> Children { get; } = [];

    /// <summary>Returns the module at a path relative to this module; null if the path leads to no module.</summary>
    internal ModuleNode? Find(string path)
    {
        var at = this;
        foreach (var name in path.Length == 0 ? [] : path.Split('.'))
            if (!at.Children.TryGetValue(name, out at)) return null;
        return at;
    }
}

/// <summary>The distinct modules of a model in PyTorch's order: depth first, each once, under its first path.</summary>
/// <remarks>
/// TorchSharp's <c>named_modules()</c> has another order, lists a shared module twice, and does not end if modules contain each other.
/// </remarks>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal sealed class ModuleTree
{
    private readonly Func<object, IEnumerable<(string, object)>> _children;
    private readonly Dictionary<object, ModuleNode> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly List<ModuleNode> _found = [];

    private ModuleTree(Library library) =>
        _children = ((ChildReader)Activator.CreateInstance(typeof(ChildReader<>).MakeGenericType(library.Module))!).Read;

    /// <summary>Returns the modules of a model, the root first.</summary>
    internal static List<ModuleNode> Read(object model, Library library)
    {
        var tree = new ModuleTree(library);
        tree.Add(new(model, "", null));
        return tree._found;
    }

    private void Add(ModuleNode node)
    {
        _seen.Add(node.Module, node);
        _found.Add(node);
        // A TorchScript module returns new child objects each time, so hooks on them would never fire.
        if (node.Module.GetType().FullName!.StartsWith("TorchSharp.torch+jit", StringComparison.Ordinal)) return;
        var names = new HashSet<string>();
        foreach (var (name, child) in _children(node.Module))
        {
            // A Sequential may have two children with the same name.
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

    // Enumerates with the static type of the items, because the non-generic enumerator of TorchSharp's dictionary throws.
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
