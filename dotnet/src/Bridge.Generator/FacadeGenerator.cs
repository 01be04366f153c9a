using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>
/// Generates the assembly named TorchSharp: a type forward for each public type that Bridge.Torch declares in the namespaces TorchSharp
/// and Tensorboard, and in their nested namespaces.
/// </summary>
/// <remarks>The compiler forwards nested types with their declaring type.</remarks>
[Generator]
public sealed class FacadeGenerator : IIncrementalGenerator
{
    private const string Facade = "TorchSharp";
    private const string Target = "Bridge.Torch";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context) =>
        context.RegisterSourceOutput(context.CompilationProvider, static (output, compilation) =>
        {
            if (compilation.AssemblyName == Facade) output.AddSource("Forwards.g.cs", Write(compilation).ToString());
        });

    private static Source Write(Compilation compilation)
    {
        var source = new Source();
        var target = compilation.SourceModule.ReferencedAssemblySymbols.First(assembly => assembly.Name == Target);
        var names = TorchSharpTypes(target.GlobalNamespace).Select(UnboundName);
        foreach (var name in names.OrderBy(name => name, System.StringComparer.Ordinal))
            source.Line($"[assembly: System.Runtime.CompilerServices.TypeForwardedTo(typeof({name}))]");
        return source;
    }

    private static IEnumerable<INamedTypeSymbol> TorchSharpTypes(INamespaceSymbol root) =>
        root.GetNamespaceMembers().Where(inner => inner.Name is Facade or "Tensorboard").SelectMany(PublicTypes);

    private static IEnumerable<INamedTypeSymbol> PublicTypes(INamespaceSymbol space) =>
        space.GetTypeMembers().Where(type => type.DeclaredAccessibility == Accessibility.Public)
            .Concat(space.GetNamespaceMembers().SelectMany(PublicTypes));

    private static string UnboundName(INamedTypeSymbol type) =>
        (type.IsGenericType ? type.ConstructUnboundGenericType() : type).ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);
}
