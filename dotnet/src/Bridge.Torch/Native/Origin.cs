using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.Loader;
using TorchSharp;

namespace Bridge.Torch.Native;

/// <summary>Whose an assembly is: ours, .NET's or the user's, who may name it as they like.</summary>
internal static class Origin
{
    private static readonly HashSet<string> Names =
        ["Bridge.Hooks", "Bridge.Torch", "Bridge.Interop", "Bridge.Conformance", "Bridge.TorchSharp", "Bridge.Host", "Bridge.Conformance.TorchSharp"];

    // The keys with which .NET's assemblies, and Microsoft's packages for it, are signed.
    private static readonly HashSet<string> Keys =
        ["7CEC85D7BEA7798E", "B03F5F7F11D50A3A", "B77A5C561934E089", "CC7B13FFCD2DDD51", "ADB9793829DDAE60", "31BF3856AD364E35"];

    private static readonly HashSet<string> Platform = (AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") as string ?? "").Split(Path.PathSeparator)
        .Where(file => file.Length > 0 && Path.GetDirectoryName(file) != Path.GetDirectoryName(typeof(Origin).Assembly.Location))
        .Select(file => Path.GetFileNameWithoutExtension(file)).ToHashSet(StringComparer.OrdinalIgnoreCase);

    /// <summary>One of our assemblies has that very name.</summary>
    internal static bool IsOurName(string? name) => name is not null && Names.Contains(name);

    /// <summary>It is one of ours, not a user's of the same name: ours are where this one is.</summary>
    internal static bool IsOurs(Assembly assembly) => assembly == typeof(torch).Assembly
        || IsOurName(assembly.GetName().Name) && AssemblyLoadContext.GetLoadContext(assembly) == AssemblyLoadContext.GetLoadContext(typeof(torch).Assembly);

    /// <summary>It is .NET's, or a package that Microsoft signed.</summary>
    internal static bool IsFramework(Assembly assembly) => assembly == typeof(object).Assembly
        || assembly.GetName().GetPublicKeyToken() is { Length: > 0 } token && Keys.Contains(Convert.ToHexString(token));

    /// <summary>The .NET that runs has an assembly of that name, which is the one to use.</summary>
    internal static bool IsPlatform(string? name) => name is not null && Platform.Contains(name);

    /// <summary>Refuses a user's assembly that has the very name of one of ours: whoever refers to it would get ours.</summary>
    /// <param name="folder">Where copies of ours may lie.</param>
    /// <param name="name">A name of ours.</param>
    /// <exception cref="NotSupportedException">It has none of the types of ours.</exception>
    internal static void Refuse(string folder, string name)
    {
        var file = Path.Combine(folder, name + ".dll");
        var own = Path.Combine(Path.GetDirectoryName(typeof(Origin).Assembly.Location)!, name + ".dll");
        if (!File.Exists(file) || !File.Exists(own)) return;
        var ours = Types(own);
        if (!Types(file).Any(ours.Contains))
            throw new NotSupportedException($"{file} has the name of an assembly of torchsharp-bridge, which would be used in its place: rename it (<AssemblyName> in its project).");
    }

    private static HashSet<string> Types(string file)
    {
        using var image = new PEReader(File.OpenRead(file));
        var reader = image.GetMetadataReader();
        return reader.TypeDefinitions.Select(handle => reader.GetTypeDefinition(handle)).Where(type => type.Attributes.HasFlag(TypeAttributes.Public) && !type.Namespace.IsNil)
            .Select(type => $"{reader.GetString(type.Namespace)}.{reader.GetString(type.Name)}").ToHashSet();
    }
}
