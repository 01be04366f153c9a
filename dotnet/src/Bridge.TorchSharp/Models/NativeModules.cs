using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Bridge.TorchSharp;

/// <summary>Finds the modules that are native code within a layer of TorchSharp, such as a <c>TransformerEncoder</c>.</summary>
/// <remarks>
/// PyTorch has a module for each, whose hooks fire; in TorchSharp only their parameters show, such as
/// <c>layers.0.self_attn.in_proj_weight</c>. Modules without parameters, such as <c>Dropout</c>, do not show at all. In these layers, a
/// module with a number as the name of a child, such as <c>layers</c>, is a <c>ModuleList</c>, which PyTorch never calls.
/// </remarks>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal static class NativeModules
{
    /// <summary>Returns the paths of the native modules within a module, in the order of their parameters.</summary>
    internal static IReadOnlyList<string> Find(ModuleNode node, Library library)
    {
        // The parameters of other classes, and of containers such as ParameterDict, have dots in their names only if users gave such names.
        var isLayer = node.Children.Count == 0 && node.Module is not IEnumerable;
        if (!isLayer || node.Module.GetType().Assembly != library.Module.Assembly) return [];
        var parameters = library.Module.GetMethod("named_parameters", [typeof(bool)])?.Invoke(node.Module, [false]);
        var paths = from item in ((IEnumerable?)parameters ?? Array.Empty<object>()).Cast<ITuple>()
                    let name = (string)item[0]!
                    from path in Enclosing(name)
                    select path;
        return [.. paths.Distinct().Select(path => node.Path.Length == 0 ? path : $"{node.Path}.{path}")];
    }

    // Returns the paths of the modules that enclose a parameter, without the containers, whose children's names are numbers.
    private static IEnumerable<string> Enclosing(string name)
    {
        for (var dot = name.IndexOf('.', 1); dot > 0 && dot < name.Length - 1; dot = name.IndexOf('.', dot + 1))
            if (!char.IsAsciiDigit(name[dot + 1])) yield return name[..dot];
    }
}
