using System.Reflection;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Describes the rules. docs/analyzers.md has a section for each.</summary>
internal static class Rules
{
    /// <summary>Has the page with the rules. It is declared before them, since they use it.</summary>
    private static readonly string Page = Repository() + "docs/analyzers.md";

    internal static readonly DiagnosticDescriptor Forward = Create(
        "TSB001",
        "Run modules by 'call', because 'forward' runs no hooks",
        "'{0}.forward' does not run the hooks of '{0}'{1}");

    internal static readonly DiagnosticDescriptor Late = Create(
        "TSB002",
        "Call 'RegisterComponents' after all fields are assigned",
        "'{0}' is not registered, because the constructor changes it after 'RegisterComponents'");

    internal static readonly DiagnosticDescriptor Unregistered = Create(
        "TSB003",
        "Call 'RegisterComponents' in the constructor",
        "'{0}' does not call 'RegisterComponents', so '{1}' is registered only if the '{0}' is the child of another module",
        DiagnosticSeverity.Info);

    internal static readonly DiagnosticDescriptor Collection = Create(
        "TSB004",
        "Keep modules in a 'ModuleList' or a 'ModuleDict'",
        "The modules in '{0}' are not registered, because a '{1}' is no module: use '{2}'");

    internal static readonly DiagnosticDescriptor Hook = Create(
        "TSB005",
        "Do not add a hook to a module while its hooks of this kind run",
        "'{0}' in a hook of the same kind and the same module throws an InvalidOperationException");

    internal static readonly DiagnosticDescriptor InPlace = Create(
        "TSB006",
        "Do not dispose the result of an in-place method",
        "'{0}' returns '{1}' itself, so 'using' disposes '{1}'");

    internal static readonly DiagnosticDescriptor Input = Create(
        "TSB007",
        "Do not return the input of a module in a 'Sequential'",
        "'{0}' can return its own input, which 'Sequential' disposes: return 'alias()' of it");

    private static DiagnosticDescriptor Create(
        string id, string title, string message, DiagnosticSeverity severity = DiagnosticSeverity.Warning) => new(
        id,
        title,
        message,
        "TorchSharp",
        severity,
        isEnabledByDefault: true,
        helpLinkUri: $"{Page}#{id.ToLowerInvariant()}");

    private static string Repository()
    {
        var address = typeof(Rules).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .FirstOrDefault(data => data.Key == "RepositoryUrl")?.Value;
        return string.IsNullOrEmpty(address) ? "" : $"{address}/blob/HEAD/";
    }
}
