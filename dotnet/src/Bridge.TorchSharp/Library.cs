using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>The TorchSharp that a model runs on, as far as it is needed here, found from the model.</summary>
/// <remarks>
/// Three assemblies have that name: TorchSharp's own, the facade, whose types are Bridge.Torch's, and the one of signatures alone, of which there is no object. This tells them apart by an object of theirs,
/// <see cref="LibraryFile"/> by their files.
/// </remarks>
internal sealed class Library
{
    private const string ModuleName = "TorchSharp.torch+nn+Module";
    private const string Ours = "Bridge.Torch";

    private Library(Type module)
    {
        Module = module;
        var assembly = module.Assembly;
        Tensor = Known(assembly, "TorchSharp.torch+Tensor");
        Torch = Known(assembly, "TorchSharp.torch");
        Tensors = TensorReader.Of(Tensor);
        Values = new(assembly);
        var said = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        // Without the revision that a build may add.
        Version = said?.Split('+')[0] ?? assembly.GetName().Version!.ToString(3);
    }

    /// <summary><c>torch.nn.Module</c>.</summary>
    internal Type Module { get; }

    /// <summary><c>torch.Tensor</c>.</summary>
    internal Type Tensor { get; }

    /// <summary><c>torch</c>.</summary>
    internal Type Torch { get; }

    /// <summary>Reads its tensors.</summary>
    internal TensorReader Tensors { get; }

    /// <summary>Reads its other values.</summary>
    internal OwnValues Values { get; }

    /// <summary>How the hooks of each class of modules are reached; null for a class without.</summary>
    internal Dictionary<Type, HookShape?> Shapes { get; } = [];

    /// <summary>Its version, such as <c>0.107.0</c>.</summary>
    internal string Version { get; }

    /// <summary>That of a model.</summary>
    /// <exception cref="ArgumentException">It is not a module.</exception>
    /// <exception cref="NotSupportedException">Its TorchSharp is the facade.</exception>
    internal static Library Of(object model)
    {
        ArgumentNullException.ThrowIfNull(model);
        var type = model.GetType();
        while (type is not null && type.FullName != ModuleName) type = type.BaseType;
        if (type is null) throw new ArgumentException($"{model.GetType()} is not a torch.nn.Module of TorchSharp.", nameof(model));
        return type.Assembly.GetName().Name != Ours
            ? new(type)
            : throw new NotSupportedException($"{model.GetType()} runs on {Ours}, not on TorchSharp: record it in Python, by bridge.record or python -m bridge trace; its hooks are ordered already.");
    }

    /// <summary>What a static member without arguments gives; <paramref name="otherwise"/> where this version has none, or it fails.</summary>
    internal T Ask<T>(string member, T otherwise)
    {
        try
        {
            const BindingFlags where = BindingFlags.Public | BindingFlags.Static;
            var found = Torch.GetMethod(member, where, []) ?? Torch.GetProperty(member, where)?.GetMethod;
            return found?.Invoke(null, null) is T given ? given : otherwise;
        }
        catch (TargetInvocationException)
        {
            return otherwise;
        }
    }

    private static Type Known(Assembly assembly, string name) =>
        assembly.GetType(name) ?? throw new NotSupportedException($"{assembly.GetName()} has no type {name}: versions 0.102 to 0.107 of TorchSharp have.");
}
