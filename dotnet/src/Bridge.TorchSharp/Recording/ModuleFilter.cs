using System.IO.Enumeration;

namespace Bridge.TorchSharp;

/// <summary>Selects modules by path and by class.</summary>
/// <param name="paths">Patterns of paths; empty for all paths.</param>
/// <param name="types">Classes; empty for all classes.</param>
internal sealed class ModuleFilter(IReadOnlyList<string> paths, IReadOnlyList<Type> types)
{
    /// <summary>Returns the selected modules that can be hooked.</summary>
    /// <exception cref="ArgumentException">A pattern or a class selects no module, or all together select none.</exception>
    internal List<ModuleNode> Select(IReadOnlyList<ModuleNode> modules)
    {
        var hookable = modules.Where(node => node.Hooks is not null).ToList();
        if (paths.Count == 0 && types.Count == 0) return hookable;
        foreach (var pattern in paths)
        {
            if (!hookable.Any(node => Matches(pattern, node.Path)))
            {
                throw new ArgumentException(
                    $"No module that can be hooked has a path like '{pattern}'. A shared module has its first path.",
                    nameof(TraceOptions.Paths));
            }
        }

        foreach (var type in types)
        {
            if (!hookable.Any(node => type.IsInstanceOfType(node.Module)))
                throw new ArgumentException($"No module that can be hooked is a {type}.", nameof(TraceOptions.Types));
        }

        var selected = hookable.Where(node => IsSelected(node)).ToList();
        if (selected.Count > 0) return selected;
        throw new ArgumentException("No module has both a path of Paths and a class of Types.", nameof(TraceOptions.Types));
    }

    private bool IsSelected(ModuleNode node) =>
        (paths.Count == 0 || paths.Any(pattern => Matches(pattern, node.Path)))
        && (types.Count == 0 || types.Any(type => type.IsInstanceOfType(node.Module)));

    // .NET's matcher finds that no pattern matches an empty name.
    private static bool Matches(string pattern, string path) =>
        path.Length == 0 ? pattern.All(c => c == '*') : FileSystemName.MatchesSimpleExpression(pattern, path, ignoreCase: false);
}
