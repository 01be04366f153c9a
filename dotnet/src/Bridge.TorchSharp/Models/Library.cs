using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>The TorchSharp assembly on which a model runs, found by reflection from the class of the model.</summary>
/// <remarks>
/// Three assemblies have the name TorchSharp: TorchSharp itself, a facade that forwards all types to Bridge.Torch, and an assembly of
/// signatures to compile against. This class reads a loaded assembly, <see cref="LibraryFile"/> a file.
/// </remarks>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal sealed class Library
{
    private const string ModuleName = "TorchSharp.torch+nn+Module";
    private const string BridgeTorch = "Bridge.Torch";

    private Library(Type module)
    {
        Module = module;
        var assembly = module.Assembly;
        Tensor = RequireType(assembly, "TorchSharp.torch+Tensor");
        Torch = RequireType(assembly, "TorchSharp.torch");
        Tensors = TensorReader.Create(Tensor);
        Unwrapper = new(assembly);
        var version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        // A build may append a revision, which is cut off.
        Version = version?.Split('+')[0] ?? assembly.GetName().Version!.ToString(3);
    }

    /// <summary>Gets the type <c>torch.nn.Module</c>.</summary>
    internal Type Module { get; }

    /// <summary>Gets the type <c>torch.Tensor</c>.</summary>
    internal Type Tensor { get; }

    /// <summary>Gets the type <c>torch</c>.</summary>
    internal Type Torch { get; }

    internal TensorReader Tensors { get; }

    internal ValueUnwrapper Unwrapper { get; }

    /// <summary>Gets the hook adapter of each class of modules; null for a class that cannot be hooked.</summary>
    internal Dictionary<Type, HookAdapter?> HookAdapters { get; } = [];

    /// <summary>Gets TorchSharp's version, such as <c>0.107.0</c>.</summary>
    internal string Version { get; }

    /// <exception cref="ArgumentException">The object is not a module.</exception>
    /// <exception cref="NotSupportedException">The library is Bridge.Torch, or an unknown version of TorchSharp.</exception>
    internal static Library FromModel(object model)
    {
        ArgumentNullException.ThrowIfNull(model);
        var type = model.GetType();
        while (type is not null && type.FullName != ModuleName) type = type.BaseType;
        if (type is null) throw new ArgumentException($"{model.GetType()} is not a torch.nn.Module of TorchSharp.", nameof(model));
        if (type.Assembly.GetName().Name != BridgeTorch) return new(type);
        throw new NotSupportedException(
            $"{model.GetType()} runs on {BridgeTorch}, not on TorchSharp: record it in Python, by bridge.record or python -m bridge trace; "
                + "its hooks already run in PyTorch's order.");
    }

    /// <summary>
    /// Returns the value of a static member of <c>torch</c>; <paramref name="otherwise"/> if the member is missing, fails or has
    /// another type.
    /// </summary>
    internal T GetStatic<T>(string member, T otherwise)
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

    private static Type RequireType(Assembly assembly, string name) =>
        assembly.GetType(name)
            ?? throw new NotSupportedException($"{assembly.GetName()} has no type {name}: versions 0.102 to 0.107 of TorchSharp have it.");
}
