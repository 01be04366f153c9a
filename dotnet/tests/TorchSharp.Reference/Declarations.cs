using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Finds the public and protected types and members of an assembly, and how they are declared: what a compiler sees.</summary>
internal sealed class Declarations : IDisposable
{
    private readonly PEReader _file;
    private readonly MetadataReader _reader;
    private readonly DeclarationReader _declarations;
    private readonly Dictionary<string, TypeDefinitionHandle> _types = [];

    internal Declarations(string path)
    {
        _file = new(new MemoryStream(File.ReadAllBytes(path)));
        _reader = _file.GetMetadataReader();
        _declarations = new(_reader);
        foreach (var handle in _reader.TypeDefinitions)
            if (Visibility.IsVisible(_reader, handle)) _types[SignatureText.Name(_reader, handle)] = handle;
    }

    /// <summary>Gets the names of the visible types.</summary>
    internal IEnumerable<string> Types => _types.Keys;

    public void Dispose() => _file.Dispose();

    /// <summary>Returns the declaration of a type itself, or null if there is no such visible type.</summary>
    /// <param name="name">The type.</param>
    /// <param name="inherited">Whether to add all base types, and their interfaces, to its own.</param>
    internal Declaration? Type(string name, bool inherited)
    {
        if (!_types.TryGetValue(name, out var handle)) return null;
        var levels = Levels(name).Take(inherited ? int.MaxValue : 1).ToList();
        var declaration = _declarations.Read(handle);
        return declaration with
        {
            Sets =
            [
                .. declaration.Sets,
                ("base", [.. levels.Select(level => level.Parent).OfType<MarkedType>().Select(Unmarked)]),
                ("interfaces", [.. levels.SelectMany(level => _declarations.Interfaces(level.Handle, level.Arguments)).Select(Unmarked)]),
            ],
        };
    }

    /// <summary>Yields the visible members that a type declares, base types not included.</summary>
    internal IEnumerable<(string Name, string Signature, Declaration Declaration)> Members(string type) =>
        Members(Levels(type).First()).Select(member => (member.Name, member.Signature, member.Read()));

    /// <summary>Returns a member of a type or of its base types, or null.</summary>
    internal Declaration? Find(string type, string name, string signature) => Levels(type)
        .Take(name == ".ctor" ? 1 : int.MaxValue)
        .SelectMany(Members)
        .FirstOrDefault(member => member.Name == name && member.Signature == signature).Read?.Invoke();

    private static string Unmarked(MarkedType type) => type.With([0]).ToString();

    // A type and its base types in the assembly.
    private IEnumerable<Level> Levels(string? type)
    {
        IReadOnlyList<MarkedType>? arguments = null;
        var isInherited = false;
        while (type is not null && _types.TryGetValue(type, out var handle))
        {
            var parent = _declarations.Base(handle, arguments);
            yield return new(handle, arguments, parent, isInherited);
            isInherited = true;
            (type, arguments) = (parent?.Name, parent?.Arguments is { Length: > 0 } given ? given : null);
        }
    }

    private IEnumerable<(string Name, string Signature, Func<Declaration> Read)> Members(Level level)
    {
        var (handle, marked, _, _) = level;
        var arguments = marked?.Select(Unmarked).ToArray();
        var definition = _reader.GetTypeDefinition(handle);
        foreach (var member in definition.GetMethods().Where(_declarations.IsVisible))
        {
            var method = _reader.GetMethodDefinition(member);
            var signature = SignatureText.Format(method.DecodeSignature(SignatureText.Instance, arguments));
            yield return (_reader.GetString(method.Name), signature, () => _declarations.Read(member, marked, level.IsInherited));
        }

        foreach (var member in definition.GetFields())
        {
            var field = _reader.GetFieldDefinition(member);
            // The access flags of fields and methods have the same values.
            if (!Visibility.IsVisible((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask))) continue;
            var signature = field.DecodeSignature(SignatureText.Instance, arguments);
            yield return (_reader.GetString(field.Name), signature, () => _declarations.Read(member, marked));
        }

        foreach (var member in definition.GetProperties())
        {
            var property = _reader.GetPropertyDefinition(member);
            var accessors = property.GetAccessors();
            if (!_declarations.IsVisible(accessors.Getter) && !_declarations.IsVisible(accessors.Setter)) continue;
            var signature = property.DecodeSignature(SignatureText.Instance, arguments);
            var indices = signature.ParameterTypes.IsEmpty ? "" : $"[{string.Join(",", signature.ParameterTypes)}]";
            var name = _reader.GetString(property.Name) + indices;
            yield return (name, signature.ReturnType, () => _declarations.Read(member, handle, marked));
        }
    }

    private sealed record Level(
        TypeDefinitionHandle Handle, IReadOnlyList<MarkedType>? Arguments, MarkedType? Parent, bool IsInherited);
}
