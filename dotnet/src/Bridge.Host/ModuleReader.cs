using System.Reflection;

namespace Bridge.Host;

/// <summary>A module at one of its paths in a model.</summary>
/// <param name="Module">The module object.</param>
/// <param name="Type">The name of the module's class without namespace and type arguments, as in traces.</param>
/// <param name="Path">The module's path; empty for the root.</param>
/// <param name="Parameters">The module's own parameters by name.</param>
/// <param name="Buffers">The module's own buffers by name.</param>
/// <param name="FirstPath">The first path of the module; null if <paramref name="Path"/> is the first.</param>
internal sealed record HostedModule(
    object Module,
    string Type,
    string Path,
    IReadOnlyList<(string Name, object Tensor)> Parameters,
    IReadOnlyList<(string Name, object Tensor)> Buffers,
    string? FirstPath = null)
{
    /// <summary>Gets the module's own parameters and buffers by their full names in the model.</summary>
    internal IEnumerable<(string Name, object Tensor)> State =>
        Parameters.Concat(Buffers).Select(item => (Path.Length == 0 ? item.Name : $"{Path}.{item.Name}", item.Tensor));
}

/// <summary>
/// Reads the modules of a model in PyTorch's order. TorchSharp's <c>named_modules</c> has another order, repeats shared modules, and
/// does not end if modules contain each other.
/// </summary>
internal abstract class ModuleReader
{
    internal static ModuleReader Create(ModelLibrary library)
    {
        Type[] types = [library.Module, library.RequireType("TorchSharp.Modules.Parameter"), library.Tensors.Tensor];
        return (ModuleReader)Activator.CreateInstance(typeof(ModuleReader<,,>).MakeGenericType(types))!;
    }

    /// <summary>Returns the modules, the root first. A module that occurs again is listed again, without its descendants.</summary>
    internal abstract IReadOnlyList<HostedModule> Read(object root);

    internal abstract bool IsTraining(object module);

    /// <summary>Sets the train mode of a module and its descendants.</summary>
    internal abstract void SetTraining(object module, bool train);
}

/// <inheritdoc/>
internal sealed class ModuleReader<TModule, TParameter, TTensor> : ModuleReader
    where TModule : class
    where TParameter : class
    where TTensor : class
{
    // Typed delegates, because the non-generic enumerator of TorchSharp's dictionaries throws.
    private readonly Func<TModule, IEnumerable<(string, TModule)>> _children =
        Bind<Func<TModule, IEnumerable<(string, TModule)>>>("named_children");

    private readonly Func<TModule, bool, IEnumerable<(string, TParameter)>> _parameters =
        Bind<Func<TModule, bool, IEnumerable<(string, TParameter)>>>("named_parameters", typeof(bool));

    private readonly Func<TModule, bool> _isTraining = Bind<Func<TModule, bool>>("get_training");
    private readonly Action<TModule, bool> _setTraining = Bind<Action<TModule, bool>>("train", typeof(bool));
    private readonly MethodInfo _buffers = typeof(TModule).GetMethods().First(method => method.Name == "named_buffers");

    internal override IReadOnlyList<HostedModule> Read(object root)
    {
        var modules = new List<HostedModule>();
        Add("", (TModule)root, modules, new(ReferenceEqualityComparer.Instance));
        return modules;
    }

    internal override bool IsTraining(object module) => _isTraining((TModule)module);

    internal override void SetTraining(object module, bool train) => _setTraining((TModule)module, train);

    private void Add(string path, TModule module, List<HostedModule> modules, Dictionary<object, HostedModule> seen)
    {
        // recurse: false, include_nonpersistent: true. Old versions lack the second parameter.
        object?[] arguments = [.. _buffers.GetParameters().Select((_, i) => (object)(i > 0))];
        var buffers = (IEnumerable<(string, TTensor)>)_buffers.Invoke(module, BindingFlags.DoNotWrapExceptions, null, arguments, null)!;
        var read = seen[module] = new(
            module,
            module.GetType().Name.Split('`')[0],
            path,
            [.. _parameters(module, false).Select(item => (item.Item1, (object)item.Item2))],
            [.. buffers.Select(item => (item.Item1, (object)item.Item2))]);
        modules.Add(read);
        var names = new HashSet<string>();
        foreach (var (name, child) in _children(module))
        {
            // A Sequential may have two children with the same name.
            var unique = name;
            for (var i = 2; !names.Add(unique); i++) unique = $"{name}_{i}";
            if (child is null) continue;
            var below = path.Length == 0 ? unique : $"{path}.{unique}";
            if (seen.TryGetValue(child, out var same)) modules.Add(same with { Path = below, FirstPath = same.Path });
            else Add(below, child, modules, seen);
        }
    }

    private static TDelegate Bind<TDelegate>(string name, params Type[] types)
        where TDelegate : Delegate =>
        (typeof(TModule).GetMethod(name, BindingFlags.Public | BindingFlags.Instance, types)
            ?? throw new MissingMethodException(typeof(TModule).FullName, name)).CreateDelegate<TDelegate>();
}
