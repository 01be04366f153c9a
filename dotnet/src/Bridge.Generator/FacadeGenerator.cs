using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>Writes the assembly named TorchSharp: a type forward for each public type that Bridge.Torch has in TorchSharp's namespaces.</summary>
/// <remarks>The compiler forwards nested types along with the one that holds them.</remarks>
[Generator]
public sealed class FacadeGenerator : IIncrementalGenerator
{
    private const string Facade = "TorchSharp";
    private const string Behind = "Bridge.Torch";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context) =>
        context.RegisterSourceOutput(context.CompilationProvider, static (output, compilation) =>
        {
            if (compilation.AssemblyName == Facade) output.AddSource("Forwards.g.cs", Write(compilation).ToString());
        });

    private static Source Write(Compilation compilation)
    {
        var source = new Source();
        var behind = compilation.SourceModule.ReferencedAssemblySymbols.First(assembly => assembly.Name == Behind);
        foreach (var name in Types(behind.GlobalNamespace).Select(Open).OrderBy(name => name, System.StringComparer.Ordinal))
            source.Line($"[assembly: System.Runtime.CompilerServices.TypeForwardedTo(typeof({name}))]");
        return source;
    }

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceSymbol root) =>
        root.GetNamespaceMembers().Where(inner => inner.Name == Facade).SelectMany(All);

    private static IEnumerable<INamedTypeSymbol> All(INamespaceSymbol within) =>
        within.GetTypeMembers().Where(type => type.DeclaredAccessibility == Accessibility.Public).Concat(within.GetNamespaceMembers().SelectMany(All));

    private static string Open(INamedTypeSymbol type) =>
        (type.IsGenericType ? type.ConstructUnboundGenericType() : type).ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);
}
