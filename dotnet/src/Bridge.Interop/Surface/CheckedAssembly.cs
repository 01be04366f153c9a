using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Bridge.Interop.Surface;

/// <summary>
/// Reads the metadata of a compiled assembly: the classes that each class uses, and the TorchSharp members that the class uses and
/// Bridge.Torch lacks.
/// </summary>
/// <remarks>
/// A process checks few assemblies, so most of the time of a check goes into compiling this code. Its collections hold integers (metadata
/// tokens) and references, for which .NET has precompiled code, rather than handles or tuples.
/// </remarks>
internal sealed class CheckedAssembly : IDisposable
{
    private const string Native = "LibTorchSharp";
    private readonly PEReader _image;
    private readonly MetadataReader _reader;
    private readonly Dictionary<int, TokenUses> _uses = [];
    private readonly Dictionary<string, List<int>> _classes = [];

    internal CheckedAssembly(byte[] code)
    {
        _image = new(new MemoryStream(code));
        _reader = _image.GetMetadataReader();
        Name = _reader.GetString(_reader.GetAssemblyDefinition().Name);
        foreach (var handle in _reader.TypeDefinitions)
        {
            // The compiler's classes for lambdas and iterators belong to the enclosing class.
            var owner = SignatureText.Name(_reader, handle);
            if (owner.IndexOf("/<", StringComparison.Ordinal) is >= 0 and var end) owner = owner[..end];
            if (!_classes.TryGetValue(owner, out var parts)) _classes[owner] = parts = [];
            parts.Add(MetadataTokens.GetToken(handle));
        }
    }

    internal string Name { get; }

    /// <summary>The names of the types, with '/' before nested types; without the compiler's types for lambdas and iterators.</summary>
    internal IEnumerable<string> Classes => _classes.Keys;

    internal bool Has(string name) => _classes.ContainsKey(name);

    internal bool UsesTorchSharp => References.Contains(Facade.Name);

    internal List<string> References
    {
        get
        {
            List<string> names = [];
            foreach (var handle in _reader.AssemblyReferences) names.Add(_reader.GetString(_reader.GetAssemblyReference(handle).Name));
            return names;
        }
    }

    /// <summary>Returns the classes that a class uses directly, and the members that it uses directly and Bridge.Torch lacks.</summary>
    internal ClassRequirements Read(string name)
    {
        var requirements = new ClassRequirements();
        List<int> tokens = [];
        foreach (var part in _classes[name])
        {
            tokens.Clear();
            var type = _reader.GetTypeDefinition((TypeDefinitionHandle)MetadataTokens.EntityHandle(part));
            Collect(type, tokens);
            foreach (var token in tokens)
            {
                var found = UsesOf(token);
                if (found.MissingMember is { } missing) requirements.Missing.Add(missing);
                foreach (var other in found.Classes) requirements.Classes.Add(other);
                foreach (var missingType in found.MissingTypes) requirements.Missing.Add(missingType);
            }

            foreach (var method in type.GetMethods())
                if (NativeImport(_reader.GetMethodDefinition(method)) is { } function) requirements.Missing.Add(function);
        }

        return requirements;
    }

    /// <summary>Returns the names of TorchSharp's members to which the assembly refers, as <c>torch.Tensor.get_shape</c>.</summary>
    internal IEnumerable<string> TorchSharpMembers()
    {
        HashSet<string> names = [];
        foreach (var handle in _reader.MemberReferences)
        {
            var member = _reader.GetMemberReference(handle);
            if (TorchSharpParent(member.Parent) is { } type) names.Add(CSharpText.Member(type, _reader.GetString(member.Name)));
        }

        return names;
    }

    /// <summary>Returns the classes that derive from TorchSharp's Module, also through classes of TorchSharp or this assembly.</summary>
    internal HashSet<string> Modules()
    {
        const string Module = "TorchSharp.torch/nn/Module";
        Dictionary<string, string?> parents = [];
        foreach (var handle in _reader.TypeDefinitions)
        {
            var parent = _reader.GetTypeDefinition(handle).BaseType;
            parents[SignatureText.Name(_reader, handle)] = parent.IsNil ? null : parent.Kind switch
            {
                HandleKind.TypeDefinition => SignatureText.Name(_reader, (TypeDefinitionHandle)parent),
                HandleKind.TypeReference => SignatureText.Name(_reader, (TypeReferenceHandle)parent),
                _ => GenericType((TypeSpecificationHandle)parent),
            };
        }

        bool IsModule(string? name)
        {
            for (; name is not null; name = parents.GetValueOrDefault(name))
                if (name.StartsWith(Module, StringComparison.Ordinal) || BridgeTorchSurface.Instance.IsModule(name)) return true;
            return false;
        }

        HashSet<string> found = [];
        foreach (var name in parents.Keys)
            if (IsModule(name)) found.Add(name);
        return found;
    }

    public void Dispose() => _image.Dispose();

    // Adds the tokens in a type's declaration, its members and their code.
    private void Collect(TypeDefinition type, List<int> tokens)
    {
        if (!type.BaseType.IsNil) tokens.Add(MetadataTokens.GetToken(type.BaseType));
        foreach (var implemented in type.GetInterfaceImplementations())
            tokens.Add(MetadataTokens.GetToken(_reader.GetInterfaceImplementation(implemented).Interface));
        foreach (var method in type.GetMethods())
        {
            tokens.Add(MetadataTokens.GetToken(method));
            var definition = _reader.GetMethodDefinition(method);
            if (definition.RelativeVirtualAddress != 0)
                InstructionTokens.Add(_image.GetMethodBody(definition.RelativeVirtualAddress), tokens);
        }

        foreach (var field in type.GetFields()) tokens.Add(MetadataTokens.GetToken(field));
    }

    private TokenUses UsesOf(int token)
    {
        if (_uses.TryGetValue(token, out var known)) return known;
        var handle = MetadataTokens.EntityHandle(token);
        List<string> classes = [], missingTypes = [];
        foreach (var type in TypeHandles.Collect(_reader, handle))
        {
            var used = MetadataTokens.EntityHandle(type);
            if (used.Kind == HandleKind.TypeDefinition)
            {
                classes.Add(ClassRequirements.Key(Name, SignatureText.Name(_reader, (TypeDefinitionHandle)used)));
                continue;
            }

            if (Scope((TypeReferenceHandle)used) is not { } scope) continue;
            var name = SignatureText.Name(_reader, (TypeReferenceHandle)used);
            if (scope != Facade.Name) classes.Add(ClassRequirements.Key(scope, name));
            else if (!BridgeTorchSurface.Instance.HasType(name)) missingTypes.Add($"type {CSharpText.Type(name)}");
        }

        return _uses[token] = new(FindMissingMember(handle), classes.ToArray(), missingTypes.ToArray());
    }

    // Returns the C# text of a TorchSharp type's member if Bridge.Torch lacks the member or has only a stub of it. Returns null for any
    // other handle, also if Bridge.Torch lacks the whole type.
    private string? FindMissingMember(EntityHandle handle)
    {
        if (handle.Kind == HandleKind.MethodSpecification)
            handle = _reader.GetMethodSpecification((MethodSpecificationHandle)handle).Method;
        if (handle.Kind != HandleKind.MemberReference) return null;
        var member = _reader.GetMemberReference((MemberReferenceHandle)handle);
        if (TorchSharpParent(member.Parent) is not { } type || !BridgeTorchSurface.Instance.HasType(type)) return null;
        var name = _reader.GetString(member.Name);
        var signature = member.GetKind() == MemberReferenceKind.Method
            ? SignatureText.Format(member.DecodeMethodSignature(SignatureText.Instance, null))
            : member.DecodeFieldSignature(SignatureText.Instance, null);
        if (BridgeTorchSurface.Instance.StubReason(type, name, signature) is { } reason)
            return $"{CSharpText.Member(type, name, signature)}: {reason}";
        return BridgeTorchSurface.Instance.Has(type, name, signature) ? null : CSharpText.Member(type, name, signature);
    }

    // Returns the name of a member's parent if the parent is a TorchSharp type; null otherwise.
    private string? TorchSharpParent(EntityHandle parent)
    {
        switch (parent.Kind)
        {
            case HandleKind.TypeReference when Scope((TypeReferenceHandle)parent) == Facade.Name:
                return SignatureText.Name(_reader, (TypeReferenceHandle)parent);
            case HandleKind.TypeSpecification when First(TypeHandles.Collect(_reader, parent)) is { Kind: HandleKind.TypeReference } generic
                && Scope((TypeReferenceHandle)generic) == Facade.Name:
                return GenericType((TypeSpecificationHandle)parent);
            default:
                return null;
        }
    }

    private string GenericType(TypeSpecificationHandle handle) =>
        GenericParts.Split(_reader.GetTypeSpecification(handle).DecodeSignature(SignatureText.Instance, null)).Type;

    private static EntityHandle First(List<int> tokens) => tokens.Count == 0 ? default : MetadataTokens.EntityHandle(tokens[0]);

    private string? Scope(TypeReferenceHandle handle)
    {
        var scope = _reader.GetTypeReference(handle).ResolutionScope;
        return scope.Kind switch
        {
            HandleKind.TypeReference => Scope((TypeReferenceHandle)scope),
            HandleKind.AssemblyReference => _reader.GetString(_reader.GetAssemblyReference((AssemblyReferenceHandle)scope).Name),
            _ => null,
        };
    }

    // Returns the function that the method imports from TorchSharp's native library, as a message names it; null for any other method.
    private string? NativeImport(MethodDefinition method)
    {
        if (!method.Attributes.HasFlag(MethodAttributes.PinvokeImpl)) return null;
        var import = method.GetImport();
        var module = _reader.GetString(_reader.GetModuleReference(import.Module).Name);
        return module == Native ? $"native function {_reader.GetString(import.Name)} of {Native}" : null;
    }

    // The missing member, the classes and the missing TorchSharp types that a token refers to.
    private sealed record TokenUses(string? MissingMember, string[] Classes, string[] MissingTypes);
}
