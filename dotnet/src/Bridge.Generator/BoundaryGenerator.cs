using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>Generates the C# side of the interface to Python from the manifest <c>bridge/clr/call/boundary.json</c>.</summary>
/// <remarks>
/// A project that lists the manifest in <c>AdditionalFiles</c> gets the enumerations and records that name its assembly. From the rest of
/// the manifest, code is generated for Bridge.Interop, Bridge.Hooks and Bridge.Torch. bridge/clr/call/boundary.py reads the same file at
/// run time. When .NET starts, Python compares the file's digest with the digest in the generated code.
/// </remarks>
[Generator]
public sealed class BoundaryGenerator : IIncrementalGenerator
{
    private const string ManifestName = "boundary.json";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var manifests = context.AdditionalTextsProvider.Where(static file => Path.GetFileName(file.Path) == ManifestName)
            .Select(static (file, stop) => file.GetText(stop)?.ToString() ?? "");
        var assembly = context.CompilationProvider.Select(static (compilation, _) => compilation.AssemblyName ?? "");
        context.RegisterSourceOutput(manifests.Combine(assembly), static (output, found) =>
        {
            foreach (var (name, source) in Write(found.Left, found.Right)) output.AddSource(name, source.ToString());
        });
    }

    private static IEnumerable<(string Name, Source Source)> Write(string json, string assembly)
    {
        var manifest = Entry.Parse(json);
        var enums = manifest.List("enums").Where(entry => entry.Text("assembly") == assembly).ToList();
        var records = manifest.List("records").Where(entry => entry.Text("assembly") == assembly).ToList();
        if (enums.Count + records.Count > 0) yield return ("Records.g.cs", Records.Write(assembly, enums, records));
        if (assembly == "Bridge.Hooks") yield return ("TorchNumbers.g.cs", TorchNumbers.Names(manifest));
        if (assembly == "Bridge.Interop")
        {
            yield return ("Imports.g.cs", Imports.Write(manifest));
            yield return ("Exports.g.cs", Exports.Write(manifest, Digest(json)));
        }

        if (assembly == "Bridge.Torch") yield return ("TorchTypes.g.cs", TorchNumbers.Enums(manifest));
    }

    private static string Digest(string json)
    {
        using var hash = SHA256.Create();
        return string.Concat(hash.ComputeHash(Encoding.UTF8.GetBytes(json.Replace("\r\n", "\n"))).Select(part => $"{part:x2}"));
    }
}
