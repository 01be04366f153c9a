using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Bridge.TorchSharp;

/// <summary>The kinds of files that may be an assembly named TorchSharp.</summary>
internal enum LibraryKind
{
    /// <summary>A file that is not a readable assembly, or an assembly with another name.</summary>
    None,

    /// <summary>TorchSharp itself.</summary>
    TorchSharp,

    /// <summary>The facade, which forwards its types to Bridge.Torch.</summary>
    Facade,

    /// <summary>Signatures only, to compile against.</summary>
    Reference,
}

/// <summary>The kind and version of an assembly file that may be TorchSharp, read from its metadata.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Version">
/// The informational version, such as <c>0.107.0</c>, or else the assembly version; empty for <see cref="LibraryKind.None"/>.
/// </param>
/// <remarks>A model's folder may contain any of these kinds. <see cref="Library"/> is the TorchSharp that a loaded model uses.</remarks>
internal sealed record LibraryFile(LibraryKind Kind, string Version)
{
    private const string Forwarded = "Bridge.Torch";
    private static readonly LibraryFile Nothing = new(LibraryKind.None, "");

    /// <summary>Gets whether the assembly is TorchSharp itself, on which models can run.</summary>
    internal bool Runs => Kind == LibraryKind.TorchSharp;

    /// <summary>Gets a description for messages.</summary>
    internal string Title => Kind switch
    {
        LibraryKind.TorchSharp => $"TorchSharp {Version}",
        LibraryKind.Facade => $"the facade {Version}, which forwards TorchSharp's types to Bridge.Torch and runs in Python's process",
        LibraryKind.Reference => $"only the signatures of TorchSharp {Version}, without code, to compile against",
        _ => "no assembly named TorchSharp",
    };

    internal static LibraryFile Read(string path) => ReadMetadata(path, Classify, Nothing);

    /// <summary>Returns the versions of referenced assemblies by name; empty if the file is not a readable assembly.</summary>
    internal static IReadOnlyDictionary<string, string> References(string path) =>
        ReadMetadata(path, References, new Dictionary<string, string>());

    private static T ReadMetadata<T>(string path, Func<PEReader, MetadataReader, T> read, T otherwise)
    {
        try
        {
            using var image = new PEReader(new MemoryStream(File.ReadAllBytes(path)));
            return image.HasMetadata && image.GetMetadataReader() is { IsAssembly: true } reader ? read(image, reader) : otherwise;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or BadImageFormatException)
        {
            return otherwise;
        }
    }

    private static Dictionary<string, string> References(PEReader image, MetadataReader reader) =>
        reader.AssemblyReferences.Select(reader.GetAssemblyReference)
            .DistinctBy(reference => reader.GetString(reference.Name))
            .ToDictionary(reference => reader.GetString(reference.Name), reference => reference.Version.ToString(3));

    private static LibraryFile Classify(PEReader image, MetadataReader reader)
    {
        var definition = reader.GetAssemblyDefinition();
        if (!reader.StringComparer.Equals(definition.Name, "TorchSharp")) return Nothing;
        var version = InformationalVersion(reader, definition) ?? definition.Version.ToString(3);
        if (reader.ExportedTypes.Count > 0 && reader.AssemblyReferences.Any(IsForwarded)) return new(LibraryKind.Facade, version);
        return new(reader.MethodDefinitions.All(IsEmpty) ? LibraryKind.Reference : LibraryKind.TorchSharp, version);

        bool IsForwarded(AssemblyReferenceHandle handle) =>
            reader.StringComparer.Equals(reader.GetAssemblyReference(handle).Name, Forwarded);

        bool IsEmpty(MethodDefinitionHandle handle) => HasNoCode(image, reader.GetMethodDefinition(handle).RelativeVirtualAddress);
    }

    // Methods of reference assemblies have no body, or the body `throw null`.
    private static bool HasNoCode(PEReader image, int address) =>
        address == 0
        || image.GetMethodBody(address).GetILReader() is { Length: 2 } code && code.ReadByte() == 0x14 && code.ReadByte() == 0x7A;

    // Reads AssemblyInformationalVersion, without the revision that a build may append.
    private static string? InformationalVersion(MetadataReader reader, AssemblyDefinition definition)
    {
        foreach (var handle in definition.GetCustomAttributes())
        {
            var attribute = reader.GetCustomAttribute(handle);
            if (attribute.Constructor.Kind != HandleKind.MemberReference) continue;
            var owner = reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent;
            if (owner.Kind != HandleKind.TypeReference) continue;
            var type = reader.GetTypeReference((TypeReferenceHandle)owner).Name;
            if (!reader.StringComparer.Equals(type, nameof(AssemblyInformationalVersionAttribute))) continue;
            var value = reader.GetBlobReader(attribute.Value);
            value.ReadUInt16();
            return value.ReadSerializedString()?.Split('+')[0];
        }

        return null;
    }
}
