namespace Bridge.TorchSharp;

/// <summary>A model's module to which this library has added no hook, so its calls are not observed.</summary>
/// <param name="Path">The module's path; empty for the root.</param>
/// <param name="Type">The name of the module's class; empty for a module in native code.</param>
/// <param name="Reason">The reason.</param>
public sealed record UnhookedModule(string Path, string Type, string Reason)
{
    internal static UnhookedModule NotHookable(ModuleNode node) =>
        new(node.Path, node.Type, $"this library cannot hook a module of class {node.Type}");

    internal static IEnumerable<UnhookedModule> InNativeCode(ModuleNode node) =>
        node.NativeModules.Select(path => new UnhookedModule(path, "", $"it is native code within a module of class {node.Type}"));

    internal static UnhookedModule AddedLater(ModuleNode node) => new(node.Path, node.Type, "it was registered after the hooks were added");

    /// <inheritdoc/>
    public override string ToString() => $"{(Path.Length == 0 ? "(root)" : Path)}: {Reason}";
}
