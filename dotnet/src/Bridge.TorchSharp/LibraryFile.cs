using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Bridge.TorchSharp;

/// <summary>Which of the assemblies named TorchSharp a file is.</summary>
internal enum LibraryKind
{
    /// <summary>No assembly of that name.</summary>
    None,

    /// <summary>TorchSharp's own.</summary>
    TorchSharp,

    /// <summary>Ours, which forwards its types to Bridge.Torch.</summary>
    Facade,

    /// <summary>Signatures alone, to compile against; nothing in it can run.</summary>
    Reference,
}

/// <summary>A file that may be TorchSharp: which one it is, and its version, by its metadata alone.</summary>
/// <param name="Kind">Which one.</param>
/// <param name="Version">As it says it, such as <c>0.107.0</c>; empty for <see cref="LibraryKind.None"/>.</param>
/// <remarks>
/// Three assemblies have that name, and beside a model may lie any of them. This is the one place that tells files apart; <see cref="Library"/>
/// does so for objects.
/// </remarks>
internal sealed record LibraryFile(LibraryKind Kind, string Version)
{
    private const string Forwarded = "Bridge.Torch";
    private static readonly LibraryFile Nothing = new(LibraryKind.None, "");

    /// <summary>Whether models can run on it.</summary>
    internal bool Runs => Kind == LibraryKind.TorchSharp;

    /// <summary>What it is, in words.</summary>
    internal string Title => Kind switch
    {
        LibraryKind.TorchSharp => $"TorchSharp {Version}",
        LibraryKind.Facade => $"the facade {Version}, which forwards TorchSharp's types to Bridge.Torch and runs in Python's process",
        LibraryKind.Reference => $"signatures of TorchSharp {Version} alone, to compile against",
        _ => "no assembly named TorchSharp",
    };

    /// <summary>That of a path; <see cref="LibraryKind.None"/> for whatever cannot be read as an assembly of that name.</summary>
    internal static LibraryFile Of(string path) => Read(path, Of, Nothing);

    /// <summary>The assemblies that one refers to, with the versions; none for whatever cannot be read as an assembly.</summary>
    internal static IReadOnlyDictionary<string, string> References(string path) => Read(path, References, new Dictionary<string, string>());

    private static T Read<T>(string path, Func<PEReader, MetadataReader, T> read, T otherwise)
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

    private static Dictionary<string, string> References(PEReader image, MetadataReader reader) => reader.AssemblyReferences.Select(reader.GetAssemblyReference)
        .DistinctBy(reference => reader.GetString(reference.Name)).ToDictionary(reference => reader.GetString(reference.Name), reference => reference.Version.ToString(3));

    private static LibraryFile Of(PEReader image, MetadataReader reader)
    {
        var definition = reader.GetAssemblyDefinition();
        if (!reader.StringComparer.Equals(definition.Name, "TorchSharp")) return Nothing;
        var version = Said(reader, definition) ?? definition.Version.ToString(3);
        var forwards = reader.ExportedTypes.Count > 0 && reader.AssemblyReferences.Any(handle => reader.StringComparer.Equals(reader.GetAssemblyReference(handle).Name, Forwarded));
        if (forwards) return new(LibraryKind.Facade, version);
        if (reader.MethodDefinitions.All(handle => HasNoCode(image, reader.GetMethodDefinition(handle).RelativeVirtualAddress))) return new(LibraryKind.Reference, version);
        return new(LibraryKind.TorchSharp, version);
    }

    // `throw null`, as compilers write it into an assembly of signatures, ours among them.
    private static bool HasNoCode(PEReader image, int address) =>
        address == 0 || image.GetMethodBody(address).GetILReader() is { Length: 2 } code && code.ReadByte() == 0x14 && code.ReadByte() == 0x7A;

    // AssemblyInformationalVersion, without the revision that a build may add.
    private static string? Said(MetadataReader reader, AssemblyDefinition definition)
    {
        foreach (var handle in definition.GetCustomAttributes())
        {
            var attribute = reader.GetCustomAttribute(handle);
            if (attribute.Constructor.Kind != HandleKind.MemberReference) continue;
            var owner = reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent;
            if (owner.Kind != HandleKind.TypeReference) continue;
            if (!reader.StringComparer.Equals(reader.GetTypeReference((TypeReferenceHandle)owner).Name, nameof(AssemblyInformationalVersionAttribute))) continue;
            var value = reader.GetBlobReader(attribute.Value);
            value.ReadUInt16();
            return value.ReadSerializedString()?.Split('+')[0];
        }

        return null;
    }
}
