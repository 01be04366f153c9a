using System.Reflection.Metadata.Ecma335;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Reflection;
using Bridge.Torch.Native;

namespace Bridge.Interop.Surface;

/// <summary>Looks up members of Bridge.Torch, which has TorchSharp's names, by exact signature, as .NET binds references.</summary>
internal sealed class BridgeTorchSurface
{
    private static readonly Lazy<BridgeTorchSurface> Loaded = new(() =>
        new(File.ReadAllBytes(Path.Combine(Origin.Folder, "Bridge.Torch.dll"))));
    private readonly MetadataReader _reader;
    private readonly Dictionary<string, int> _types = [];

    // The tokens of public and protected members, by the type's token and the member's name. Read when a type is first looked up.
    private readonly Dictionary<int, Dictionary<string, List<int>>> _members = [];
    private readonly Dictionary<int, string> _signatures = [];

    private BridgeTorchSurface(byte[] code)
    {
        _reader = new PEReader(new MemoryStream(code)).GetMetadataReader();
        foreach (var handle in _reader.TypeDefinitions)
            if (Visibility.IsVisible(_reader, handle)) _types[SignatureText.Name(_reader, handle)] = MetadataTokens.GetToken(handle);
    }

    internal static BridgeTorchSurface Instance => Loaded.Value;

    internal bool HasType(string name) => _types.ContainsKey(name);

    /// <summary>
    /// Returns whether a type, or one of its base types in Bridge.Torch, has a public or protected method or field of this signature, or a
    /// base type of .NET has a similar member of any visibility (<see cref="Fits"/>).
    /// </summary>
    /// <param name="type">The name of the type.</param>
    /// <param name="member">The name of the member.</param>
    /// <param name="signature">
    /// The signature as <see cref="SignatureText"/> writes it for the type's definition, with type parameters where an instance has type
    /// arguments. The signature of a field is its type, preceded by <c>const</c> if the field is a constant.
    /// </param>
    internal bool Has(string type, string member, string signature)
    {
        lock (_members) return _types.TryGetValue(type, out var token) && Has(token, null, member, signature);
    }

    /// <summary>
    /// Returns the reason why a member of exactly this signature is a stub, which only throws; null if the member is no stub, or the type
    /// itself does not declare it.
    /// </summary>
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

    internal bool IsModule(string type) =>
        typeof(TorchSharp.torch).Assembly.GetType(type.Replace('/', '+')) is { } found
        && typeof(TorchSharp.torch.nn.Module).IsAssignableFrom(found);

    /// <summary>Returns whether the type itself has a public or protected member of this name, with any signature.</summary>
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
                var instance = _reader.GetTypeSpecification((TypeSpecificationHandle)parent);
                var (generic, own) = GenericParts.Split(instance.DecodeSignature(SignatureText.Instance, arguments));
                return _types.TryGetValue(generic, out var ancestor) && Has(ancestor, own, member, signature);
            // A base type of .NET itself is read by reflection, unless it is generic: then its members are not found.
            case HandleKind.TypeReference:
                return Type.GetType(SignatureText.Name(_reader, (TypeReferenceHandle)parent))
                    ?.GetMember(member, Inherited).Any(found => Fits(found, signature)) == true;
            default: return false;
        }
    }

    private const BindingFlags Inherited =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy | BindingFlags.Public | BindingFlags.NonPublic;

    // Compares only the number of parameters and their types' simple names, which distinguish the overloads of .NET's base types.
    private static bool Fits(MemberInfo member, string signature)
    {
        if (member is not MethodBase method) return true;
        var list = signature[(signature.LastIndexOf('(') + 1)..signature.LastIndexOf(')')];
        var expected = list.Split(',', StringSplitOptions.RemoveEmptyEntries);
        var actual = method.GetParameters();
        return actual.Length == expected.Length && actual.Zip(expected).All(pair => IsNamed(pair.First.ParameterType, pair.Second));
    }

    private static bool IsNamed(Type type, string name) => name.EndsWith(type.Name, StringComparison.OrdinalIgnoreCase)
        || (type == typeof(bool) && name == "bool") || (type == typeof(int) && name == "int");

    private TypeDefinition Definition(int type) => _reader.GetTypeDefinition((TypeDefinitionHandle)MetadataTokens.EntityHandle(type));

    private Dictionary<string, List<int>> Members(int type)
    {
        if (_members.TryGetValue(type, out var known)) return known;
        var found = _members[type] = [];
        var definition = Definition(type);
        foreach (var handle in definition.GetMethods())
        {
            var method = _reader.GetMethodDefinition(handle);
            if (Visibility.IsVisible(method.Attributes & MethodAttributes.MemberAccessMask))
                Add(_reader.GetString(method.Name), MetadataTokens.GetToken(handle));
        }

        foreach (var handle in definition.GetFields())
        {
            var field = _reader.GetFieldDefinition(handle);
            // The access flags of fields and methods have the same values.
            if (Visibility.IsVisible((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask)))
                Add(_reader.GetString(field.Name), MetadataTokens.GetToken(handle));
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
            var method = _reader.GetMethodDefinition((MethodDefinitionHandle)handle);
            text = SignatureText.Format(method.DecodeSignature(SignatureText.Instance, arguments));
        }
        else
        {
            var field = _reader.GetFieldDefinition((FieldDefinitionHandle)handle);
            // A reference to a field does not bind to a constant, which has no storage at run time.
            text = (field.Attributes.HasFlag(FieldAttributes.Literal) ? "const " : "")
                + field.DecodeSignature(SignatureText.Instance, arguments);
        }

        if (arguments is null) _signatures[token] = text;
        return text;
    }

    // Returns the reason in the member's [Stub(reason)]; null if the member has no such attribute.
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
            value.ReadUInt16(); // The prolog of an attribute's value.
            return value.ReadSerializedString();
        }

        return null;
    }
}
