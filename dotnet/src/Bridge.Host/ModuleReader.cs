using System.Reflection;

namespace Bridge.Host;

/// <summary>A module of a model.</summary>
/// <param name="Module">The object.</param>
/// <param name="Type">Its class as traces name it: without namespace and type arguments.</param>
/// <param name="Path">Its path; the root's is empty.</param>
/// <param name="Parameters">Its own, by name.</param>
/// <param name="Buffers">Its own, by name.</param>
/// <param name="Same">The path under which it was found first; null for that one itself.</param>
internal sealed record HostedModule(object Module, string Type, string Path, IReadOnlyList<(string Name, object Tensor)> Parameters, IReadOnlyList<(string Name, object Tensor)> Buffers, string? Same = null)
{
    /// <summary>Its parameters and buffers by their names in the model.</summary>
    internal IEnumerable<(string Name, object Tensor)> State => Parameters.Concat(Buffers).Select(item => (Path.Length == 0 ? item.Name : $"{Path}.{item.Name}", item.Tensor));
}

/// <summary>Reads the modules of a model, in PyTorch's order, with PyTorch's paths (rules 56 and 57).</summary>
internal abstract class ModuleReader
{
    /// <summary>That of a TorchSharp.</summary>
    internal static ModuleReader Of(ModelLibrary library) =>
        (ModuleReader)Activator.CreateInstance(typeof(ModuleReader<,,>).MakeGenericType(library.Module, library.Known("TorchSharp.Modules.Parameter"), library.Tensors.Tensor))!;

    /// <summary>The modules, the root first; one that is there twice is so under its second path too, without what is below it.</summary>
    internal abstract IReadOnlyList<HostedModule> Read(object root);

    /// <summary>Whether a module trains.</summary>
    internal abstract bool Trains(object module);

    /// <summary>Sets whether a module trains; those below it follow.</summary>
    internal abstract void Train(object module, bool train);
}

/// <inheritdoc/>
internal sealed class ModuleReader<TModule, TParameter, TTensor> : ModuleReader
    where TModule : class
    where TParameter : class
    where TTensor : class
{
    // With the items' types: an enumerator without may throw (rule 59).
    private readonly Func<TModule, IEnumerable<(string, TModule)>> _children = Bind<Func<TModule, IEnumerable<(string, TModule)>>>("named_children");
    private readonly Func<TModule, bool, IEnumerable<(string, TParameter)>> _parameters = Bind<Func<TModule, bool, IEnumerable<(string, TParameter)>>>("named_parameters", typeof(bool));
    private readonly Func<TModule, bool> _trains = Bind<Func<TModule, bool>>("get_training");
    private readonly Action<TModule, bool> _train = Bind<Action<TModule, bool>>("train", typeof(bool));
    private readonly MethodInfo _buffers = typeof(TModule).GetMethods().First(method => method.Name == "named_buffers");

    internal override IReadOnlyList<HostedModule> Read(object root)
    {
        var found = new List<HostedModule>();
        Add("", (TModule)root, found, new(ReferenceEqualityComparer.Instance));
        return found;
    }

    internal override bool Trains(object module) => _trains((TModule)module);

    internal override void Train(object module, bool train) => _train((TModule)module, train);

    private void Add(string path, TModule module, List<HostedModule> found, Dictionary<object, HostedModule> seen)
    {
        object?[] own = [.. _buffers.GetParameters().Select((_, i) => (object)(i > 0))];
        var buffers = (IEnumerable<(string, TTensor)>)_buffers.Invoke(module, BindingFlags.DoNotWrapExceptions, null, own, null)!;
        var made = seen[module] = new(module, module.GetType().Name.Split('`')[0], path,
            [.. _parameters(module, false).Select(item => (item.Item1, (object)item.Item2))], [.. buffers.Select(item => (item.Item1, (object)item.Item2))]);
        found.Add(made);
        var names = new HashSet<string>();
        foreach (var (name, child) in _children(module))
        {
            // A Sequential may have two of one name (rule 45).
            var unique = name;
            for (var i = 2; !names.Add(unique); i++) unique = $"{name}_{i}";
            if (child is null) continue;
            var below = path.Length == 0 ? unique : $"{path}.{unique}";
            if (seen.TryGetValue(child, out var same)) found.Add(same with { Path = below, Same = same.Path });
            else Add(below, child, found, seen);
        }
    }

    private static TDelegate Bind<TDelegate>(string name, params Type[] types)
        where TDelegate : Delegate =>
        (typeof(TModule).GetMethod(name, BindingFlags.Public | BindingFlags.Instance, types) ?? throw new MissingMethodException(typeof(TModule).FullName, name)).CreateDelegate<TDelegate>();
}
