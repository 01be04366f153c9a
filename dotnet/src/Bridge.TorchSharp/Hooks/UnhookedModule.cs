namespace Bridge.TorchSharp;

/// <summary>A module of a model without a hook, whose calls are not seen.</summary>
/// <param name="Path">Its path; the root's is empty.</param>
/// <param name="Type">The name of its class.</param>
/// <param name="Reason">Why it has no hook.</param>
public sealed record UnhookedModule(string Path, string Type, string Reason)
{
    internal static UnhookedModule NotHookable(ModuleNode node) =>
        new(node.Path, node.Type, $"TorchSharp has no hooks for a module of class {node.Type}");

    internal static UnhookedModule AddedLater(ModuleNode node) => new(node.Path, node.Type, "it was registered after the hooks were added");

    /// <inheritdoc/>
    public override string ToString() => $"{(Path.Length == 0 ? "(root)" : Path)}: {Reason}";
}
