namespace Bridge.TorchSharp;

/// <summary>A module of a model on which there is no hook: its calls are seen by nobody.</summary>
/// <param name="Path">Its path; the root's is empty.</param>
/// <param name="Type">Its class.</param>
/// <param name="Reason">Why.</param>
public sealed record UnhookedModule(string Path, string Type, string Reason)
{
    internal static UnhookedModule Of(ModuleNode node) => new(node.Path, node.Type, $"TorchSharp has no hooks for a module of class {node.Type}");

    internal static UnhookedModule Later(ModuleNode node) => new(node.Path, node.Type, "it is there only since the hooks were set");

    /// <inheritdoc/>
    public override string ToString() => $"{(Path.Length == 0 ? "(root)" : Path)}: {Reason}";
}
