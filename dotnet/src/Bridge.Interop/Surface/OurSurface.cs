using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Bridge.Interop.Surface;

/// <summary>What Bridge.Torch has under TorchSharp's names, by exact signature, as the runtime binds it.</summary>
internal sealed class OurSurface
{
    private static readonly Lazy<OurSurface> Loaded = new(() => new(File.ReadAllBytes(typeof(TorchSharp.torch).Assembly.Location)));
    private readonly MetadataReader _reader;
    private readonly Dictionary<string, int> _types = [];

    // By type and then by name: the tokens of members. A type has thousands, of which few are asked for.
    private readonly Dictionary<int, Dictionary<string, List<int>>> _members = [];
    private readonly Dictionary<int, string> _signatures = [];

    private OurSurface(byte[] code)
    {
        _reader = new PEReader(new MemoryStream(code)).GetMetadataReader();
        foreach (var handle in _reader.TypeDefinitions)
            if (IsVisible(handle)) _types[SignatureText.Name(_reader, handle)] = MetadataTokens.GetToken(handle);
    }

    internal static OurSurface Instance => Loaded.Value;

    internal bool HasType(string name) => _types.ContainsKey(name);

    /// <summary>Whether a type, or one that it derives from, has a field (its type as <paramref name="signature"/>, after <c>const</c> for a constant) or method of exactly that signature.</summary>
    /// <param name="type">The type's name.</param>
    /// <param name="member">The member's name.</param>
    /// <param name="signature">As <see cref="SignatureText"/> writes it, in the terms of the type's own parameters.</param>
    internal bool Has(string type, string member, string signature)
    {
        lock (_members) return _types.TryGetValue(type, out var token) && Has(token, null, member, signature);
    }

    /// <summary>Why a member of exactly that signature only throws; null if it does not, or there is none.</summary>
    internal string? StubReason(string type, string member, string signature)
    {
        lock (_members)
        {
            if (!_types.TryGetValue(type, out var token) || !Members(token).TryGetValue(member, out var tokens)) return null;
            foreach (var found in tokens)
                if (Signature(found, null) == signature) return Reason(found);
            return null;
        }
    }

    /// <summary>Whether the type is one of our modules.</summary>
    internal bool IsModule(string type) => typeof(TorchSharp.torch).Assembly.GetType(type.Replace('/', '+')) is { } found && typeof(TorchSharp.torch.nn.Module).IsAssignableFrom(found);

    /// <summary>Whether the type itself has a member of that name, whatever its signature.</summary>
    internal bool HasName(string type, string member)
    {
        lock (_members) return _types.TryGetValue(type, out var token) && Members(token).ContainsKey(member);
    }

    private bool Has(int type, string[]? arguments, string member, string signature)
    {
        if (Members(type).TryGetValue(member, out var tokens))
        {
            foreach (var token in tokens)
                if (Signature(token, arguments) == signature) return true;
        }

        var parent = Definition(type).BaseType;
        if (parent.IsNil) return false;
        switch (parent.Kind)
        {
            case HandleKind.TypeDefinition: return Has(MetadataTokens.GetToken(parent), null, member, signature);
            case HandleKind.TypeSpecification:
                var (generic, own) = GenericParts.Of(_reader.GetTypeSpecification((TypeSpecificationHandle)parent).DecodeSignature(SignatureText.Instance, arguments));
                return _types.TryGetValue(generic, out var above) && Has(above, own, member, signature);
            // Of .NET itself: what it has is not ours to check.
            case HandleKind.TypeReference: return Type.GetType(SignatureText.Name(_reader, (TypeReferenceHandle)parent))?.GetMember(member, Inherited).Any(found => Fits(found, signature)) == true;
            default: return false;
        }
    }

    private const System.Reflection.BindingFlags Inherited = System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Static
        | System.Reflection.BindingFlags.FlattenHierarchy | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic;

    // Whether a member of .NET takes as many parameters as the signature, of types whose names end alike: its overloads differ by more.
    private static bool Fits(System.Reflection.MemberInfo member, string signature)
    {
        if (member is not System.Reflection.MethodBase method) return true;
        var wanted = signature[(signature.LastIndexOf('(') + 1)..signature.LastIndexOf(')')].Split(',', StringSplitOptions.RemoveEmptyEntries);
        var given = method.GetParameters();
        return given.Length == wanted.Length && given.Zip(wanted).All(pair => pair.Second.EndsWith(pair.First.ParameterType.Name, StringComparison.OrdinalIgnoreCase)
            || (pair.First.ParameterType == typeof(bool) && pair.Second == "bool") || (pair.First.ParameterType == typeof(int) && pair.Second == "int"));
    }

    private TypeDefinition Definition(int type) => _reader.GetTypeDefinition((TypeDefinitionHandle)MetadataTokens.EntityHandle(type));

    private Dictionary<string, List<int>> Members(int type)
    {
        if (_members.TryGetValue(type, out var known)) return known;
        var found = _members[type] = [];
        var definition = Definition(type);
        foreach (var handle in definition.GetMethods())
        {
            var method = _reader.GetMethodDefinition(handle);
            if (IsVisible(method.Attributes & System.Reflection.MethodAttributes.MemberAccessMask)) Add(_reader.GetString(method.Name), MetadataTokens.GetToken(handle));
        }

        foreach (var handle in definition.GetFields())
        {
            var field = _reader.GetFieldDefinition(handle);
            // Fields and methods have the same numbers for who may see them.
            if (IsVisible((System.Reflection.MethodAttributes)(field.Attributes & System.Reflection.FieldAttributes.FieldAccessMask))) Add(_reader.GetString(field.Name), MetadataTokens.GetToken(handle));
        }

        return found;

        void Add(string name, int token)
        {
            if (!found.TryGetValue(name, out var tokens)) found[name] = tokens = [];
            tokens.Add(token);
        }
    }

    private string Signature(int token, string[]? arguments)
    {
        if (arguments is null && _signatures.TryGetValue(token, out var known)) return known;
        var handle = MetadataTokens.EntityHandle(token);
        string text;
        if (handle.Kind == HandleKind.MethodDefinition)
        {
            text = SignatureText.Of(_reader.GetMethodDefinition((MethodDefinitionHandle)handle).DecodeSignature(SignatureText.Instance, arguments));
        }
        else
        {
            var field = _reader.GetFieldDefinition((FieldDefinitionHandle)handle);
            // A constant is written into who uses it: an assembly that refers to a field of that name finds none at run time.
            text = (field.Attributes.HasFlag(System.Reflection.FieldAttributes.Literal) ? "const " : "") + field.DecodeSignature(SignatureText.Instance, arguments);
        }

        if (arguments is null) _signatures[token] = text;
        return text;
    }

    // What [Stub(reason)] says, where the member has it.
    private string? Reason(int token)
    {
        if (MetadataTokens.EntityHandle(token) is not { Kind: HandleKind.MethodDefinition } handle) return null;
        foreach (var attribute in _reader.GetMethodDefinition((MethodDefinitionHandle)handle).GetCustomAttributes())
        {
            var found = _reader.GetCustomAttribute(attribute);
            if (found.Constructor.Kind != HandleKind.MethodDefinition) continue;
            var type = _reader.GetMethodDefinition((MethodDefinitionHandle)found.Constructor).GetDeclaringType();
            if (!_reader.StringComparer.Equals(_reader.GetTypeDefinition(type).Name, nameof(Bridge.Torch.StubAttribute))) continue;
            var value = _reader.GetBlobReader(found.Value);
            value.ReadUInt16(); // what the value of every attribute begins with
            return value.ReadSerializedString();
        }

        return null;
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
}
