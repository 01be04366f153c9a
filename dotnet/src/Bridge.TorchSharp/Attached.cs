namespace Bridge.TorchSharp;

/// <summary>A model with a listener on each of its modules, until it is disposed.</summary>
internal sealed class Attached : IDisposable
{
    private bool _disposed;

    /// <summary>Finds the modules; all that may fail is here.</summary>
    /// <param name="model">The root.</param>
    internal Attached(object model)
    {
        Library = Library.Of(model);
        Modules = ModuleTree.Of(model, Library);
        foreach (var node in Modules) node.Slots = HookSlots.Of(node.Module, Library);
    }

    internal Library Library { get; }

    internal List<ModuleNode> Modules { get; }

    /// <summary>Those without a listener: such as cannot have one, and such as the model has got since.</summary>
    internal IReadOnlyList<UnhookedModule> Unhooked
    {
        get
        {
            var known = Modules.Select(node => node.Module).ToHashSet(ReferenceEqualityComparer.Instance);
            var later = ModuleTree.Of(Modules[0].Module, Library).Where(node => !known.Contains(node.Module));
            return [.. Modules.Where(node => node.Slots is null).Select(UnhookedModule.Of), .. later.Select(UnhookedModule.Later)];
        }
    }

    /// <summary>Puts the listeners' hooks in front of all others.</summary>
    internal void Attach(IListening listening)
    {
        foreach (var node in Modules) node.Slots?.Attach(node, listening);
    }

    /// <summary>The modules' hooks are as they were.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        foreach (var node in Modules) node.Slots?.Detach();
    }
}
