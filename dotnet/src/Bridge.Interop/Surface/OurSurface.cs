using System.Collections.Concurrent;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Bridge.Interop.Surface;

/// <summary>What Bridge.Torch has under TorchSharp's names, by exact signature, as the runtime binds it.</summary>
internal sealed class OurSurface
{
    private static readonly Lazy<OurSurface> Loaded = new(() => new(File.ReadAllBytes(typeof(TorchSharp.torch).Assembly.Location)));
    private readonly MetadataReader _reader;
    private readonly Dictionary<string, TypeDefinitionHandle> _types = [];
    private readonly ConcurrentDictionary<TypeDefinitionHandle, HashSet<string>> _members = [];

    private OurSurface(byte[] code)
    {
        _reader = new PEReader(new MemoryStream(code)).GetMetadataReader();
        foreach (var handle in _reader.TypeDefinitions)
            if (IsVisible(handle)) _types[SignatureText.Name(_reader, handle)] = handle;
    }

    internal static OurSurface Instance => Loaded.Value;

    internal bool HasType(string name) => _types.ContainsKey(name);

    /// <summary>Whether a type, or one that it derives from, has a field (its type as <paramref name="signature"/>, after <c>const</c> for a constant) or method of exactly that signature.</summary>
    /// <param name="type">The type's name.</param>
    /// <param name="member">The member's name.</param>
    /// <param name="signature">As <see cref="SignatureText"/> writes it, in the terms of the type's own parameters.</param>
    internal bool Has(string type, string member, string signature) => _types.TryGetValue(type, out var handle) && Has(handle, null, member, signature);

    /// <summary>Whether the type is one of our modules.</summary>
    internal bool IsModule(string type) => typeof(TorchSharp.torch).Assembly.GetType(type.Replace('/', '+')) is { } found && typeof(TorchSharp.torch.nn.Module).IsAssignableFrom(found);

    /// <summary>Whether the type has a member of that name, whatever its signature.</summary>
    internal bool HasName(string type, string member)
    {
        if (!_types.TryGetValue(type, out var handle)) return false;
        var definition = _reader.GetTypeDefinition(handle);
        return definition.GetMethods().Any(method => _reader.StringComparer.Equals(_reader.GetMethodDefinition(method).Name, member))
            || definition.GetFields().Any(field => _reader.StringComparer.Equals(_reader.GetFieldDefinition(field).Name, member));
    }

    private bool Has(TypeDefinitionHandle handle, string[]? arguments, string member, string signature)
    {
        var wanted = $"{member} {signature}";
        if (arguments is null ? _members.GetOrAdd(handle, Members).Contains(wanted) : Members(handle, arguments).Contains(wanted)) return true;
        var parent = _reader.GetTypeDefinition(handle).BaseType;
        return parent.Kind switch
        {
            HandleKind.TypeDefinition => Has((TypeDefinitionHandle)parent, null, member, signature),
            HandleKind.TypeSpecification => Parent((TypeSpecificationHandle)parent, arguments) is var (generic, own) && generic is { } above && Has(above, own, member, signature),
            // Of .NET itself: what it has is not ours to check.
            HandleKind.TypeReference => Type.GetType(SignatureText.Name(_reader, (TypeReferenceHandle)parent))?.GetMember(member).Length > 0,
            _ => false,
        };
    }

    private HashSet<string> Members(TypeDefinitionHandle handle) => Members(handle, null);

    // A constant is written into who uses it: an assembly that refers to a field of that name finds none at run time.
    private static string Constant(FieldDefinition field) => field.Attributes.HasFlag(System.Reflection.FieldAttributes.Literal) ? "const " : "";

    private HashSet<string> Members(TypeDefinitionHandle handle, string[]? arguments)
    {
        var type = _reader.GetTypeDefinition(handle);
        HashSet<string> found = [];
        foreach (var method in type.GetMethods().Select(_reader.GetMethodDefinition))
        {
            if (IsVisible(method.Attributes & System.Reflection.MethodAttributes.MemberAccessMask))
                found.Add($"{_reader.GetString(method.Name)} {SignatureText.Of(method.DecodeSignature(SignatureText.Instance, arguments))}");
        }

        foreach (var field in type.GetFields().Select(_reader.GetFieldDefinition))
        {
            // Fields and methods have the same numbers for who may see them.
            if (IsVisible((System.Reflection.MethodAttributes)(field.Attributes & System.Reflection.FieldAttributes.FieldAccessMask)))
                found.Add($"{_reader.GetString(field.Name)} {Constant(field)}{field.DecodeSignature(SignatureText.Instance, arguments)}");
        }

        return found;
    }

    private static bool IsVisible(System.Reflection.MethodAttributes access) =>
        access is System.Reflection.MethodAttributes.Public or System.Reflection.MethodAttributes.Family or System.Reflection.MethodAttributes.FamORAssem;

    private bool IsVisible(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        return (type.Attributes & System.Reflection.TypeAttributes.VisibilityMask) switch
        {
            System.Reflection.TypeAttributes.Public => true,
            System.Reflection.TypeAttributes.NestedPublic or System.Reflection.TypeAttributes.NestedFamily or System.Reflection.TypeAttributes.NestedFamORAssem => IsVisible(type.GetDeclaringType()),
            _ => false,
        };
    }

    // The generic type of a base such as Module<T1, Tensor>, and its arguments in the terms of what derives from it.
    private (TypeDefinitionHandle? Type, string[] Arguments) Parent(TypeSpecificationHandle handle, string[]? arguments)
    {
        var (type, own) = GenericParts.Of(_reader.GetTypeSpecification(handle).DecodeSignature(SignatureText.Instance, arguments));
        return _types.TryGetValue(type, out var found) ? (found, own) : (null, []);
    }
}
