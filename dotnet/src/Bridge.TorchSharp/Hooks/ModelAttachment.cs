using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Bridge.TorchSharp;

/// <summary>Attaches listeners to the modules of a model, until this object is disposed.</summary>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal sealed class ModelAttachment : IDisposable
{
    private bool _disposed;

    /// <summary>Finds the modules and their hooks, and changes no module.</summary>
    /// <param name="model">The root module.</param>
    internal ModelAttachment(object model)
    {
        Library = Library.FromModel(model);
        Modules = ModuleTree.Read(model, Library);
        foreach (var node in Modules)
        {
            node.Hooks = HookDictionaries.TryCreate(node.Module, Library);
            node.NativeModules = NativeModules.Find(node, Library);
        }
    }

    internal Library Library { get; }

    internal List<ModuleNode> Modules { get; }

    /// <summary>Gets the modules without a listener: those that cannot be hooked, native ones, and those registered later.</summary>
    internal IReadOnlyList<UnhookedModule> Unhooked
    {
        get
        {
            var known = Modules.Select(node => node.Module).ToHashSet(ReferenceEqualityComparer.Instance);
            var later = ModuleTree.Read(Modules[0].Module, Library).Where(node => !known.Contains(node.Module));
            var unhookable = Modules.Where(node => node.Hooks is null);
            var native = Modules.SelectMany(UnhookedModule.InNativeCode);
            return [.. unhookable.Select(UnhookedModule.NotHookable), .. native, .. later.Select(UnhookedModule.AddedLater)];
        }
    }

    /// <summary>Gets the sorted paths of the modules without a listener whose calls PyTorch's hooks would see.</summary>
    /// <remarks>Without containers such as <c>ModuleList</c>, which are never called.</remarks>
    internal IEnumerable<string> Unseen
    {
        get
        {
            var unhookable = Modules.Where(node => node.Hooks is null && node.Module is not IEnumerable).Select(node => node.Path);
            return unhookable.Concat(Modules.SelectMany(node => node.NativeModules)).Order(StringComparer.Ordinal);
        }
    }

    /// <summary>Adds the listeners' hooks before all others.</summary>
    internal void Attach(ICallListenerFactory factory) => Attach(factory, Modules);

    /// <summary>Adds the listeners' hooks before all others, to some modules.</summary>
    internal static void Attach(ICallListenerFactory factory, IEnumerable<ModuleNode> modules)
    {
        foreach (var node in modules) node.Hooks?.Attach(node, factory);
    }

    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        foreach (var node in Modules) node.Hooks?.Detach();
    }
}
