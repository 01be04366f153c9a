using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.Loader;
using TorchSharp;

namespace Bridge.Torch.Native;

/// <summary>
/// The origin of an assembly: this project, .NET or the user. The name alone does not show the origin: users may choose any name.
/// </summary>
internal static class Origin
{
    private static readonly HashSet<string> Names =
        ["Bridge.Hooks", "Bridge.Torch", "Bridge.Interop", "Bridge.Conformance", "Bridge.TorchSharp", "Bridge.Host",
            "Bridge.Conformance.TorchSharp", "Bridge.InProcess"];

    // The public key tokens of .NET's assemblies and of Microsoft's packages.
    private static readonly HashSet<string> Keys =
        ["7CEC85D7BEA7798E", "B03F5F7F11D50A3A", "B77A5C561934E089", "CC7B13FFCD2DDD51", "ADB9793829DDAE60", "31BF3856AD364E35"];

    private static readonly HashSet<string> Platform = (AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") as string ?? "")
        .Split(Path.PathSeparator)
        .Where(file => file.Length > 0 && Path.GetDirectoryName(file) != Folder)
        .Select(file => Path.GetFileNameWithoutExtension(file)).ToHashSet(StringComparer.OrdinalIgnoreCase);

    /// <summary>Gets or sets the folder of this project's assemblies; those in use may be images of a subfolder.</summary>
    internal static string Folder { get; set; } = Path.GetDirectoryName(typeof(Origin).Assembly.Location)!;

    /// <summary>Returns the assembly of this project that is loaded under a file's name; null if none is.</summary>
    internal static Assembly? Loaded(string path) => AssemblyLoadContext.GetLoadContext(typeof(torch).Assembly)!.Assemblies
        .FirstOrDefault(assembly => assembly.GetName().Name == Path.GetFileNameWithoutExtension(path));

    /// <summary>Returns whether an assembly of this project has the name.</summary>
    internal static bool IsOurName(string? name) => name is not null && Names.Contains(name);

    /// <summary>
    /// Returns whether the assembly is this project's, by name and load context: a user's assembly may have the same name.
    /// </summary>
    internal static bool IsOurs(Assembly assembly) => assembly == typeof(torch).Assembly
        || IsOurName(assembly.GetName().Name) && AssemblyLoadContext.GetLoadContext(assembly) == AssemblyLoadContext.GetLoadContext(
            typeof(torch).Assembly);

    /// <summary>Returns whether the assembly has a public key of .NET or of Microsoft's packages.</summary>
    internal static bool IsFramework(Assembly assembly) => assembly == typeof(object).Assembly
        || assembly.GetName().GetPublicKeyToken() is { Length: > 0 } token && Keys.Contains(Convert.ToHexString(token));

    /// <summary>Returns whether the running .NET has an assembly of that name, which it loads instead of a model's copy.</summary>
    internal static bool IsPlatform(string? name) => name is not null && Platform.Contains(name);

    /// <summary>Throws if a user's assembly has the name of an assembly of this project: .NET would load this project's instead.</summary>
    /// <param name="folder">The folder of the model, which may contain copies of the project's assemblies.</param>
    /// <param name="name">The name of an assembly of this project.</param>
    /// <exception cref="NotSupportedException">The file in the folder has no public type in common with the project's assembly.</exception>
    internal static void Refuse(string folder, string name)
    {
        var file = Path.Combine(folder, name + ".dll");
        var own = Path.Combine(Folder, name + ".dll");
        if (!File.Exists(file) || !File.Exists(own)) return;
        var ours = Types(own);
        if (!Types(file).Any(ours.Contains))
            throw new NotSupportedException(
                $"{file} has the name of an assembly of torchsharp-bridge, which .NET would load instead: rename it (<AssemblyName> in its "
                + "project).");
    }

    private static HashSet<string> Types(string file)
    {
        using var image = new PEReader(File.OpenRead(file));
        var reader = image.GetMetadataReader();
        return reader.TypeDefinitions.Select(handle => reader.GetTypeDefinition(handle))
            .Where(type => type.Attributes.HasFlag(TypeAttributes.Public) && !type.Namespace.IsNil)
            .Select(type => $"{reader.GetString(type.Namespace)}.{reader.GetString(type.Name)}").ToHashSet();
    }
}
