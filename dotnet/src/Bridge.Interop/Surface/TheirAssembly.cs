using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Bridge.Interop.Surface;

/// <summary>What the classes of one compiled assembly use: of TorchSharp, and of each other. Read from metadata; nothing of it runs.</summary>
/// <remarks>
/// A process checks few assemblies, so most of a check is the time that this code takes to be compiled: collections here are of numbers (metadata
/// tokens) and references, of which .NET has compiled code, and not of handles or tuples.
/// </remarks>
internal sealed class TheirAssembly : IDisposable
{
    private const string Native = "LibTorchSharp";
    private readonly PEReader _image;
    private readonly MetadataReader _reader;
    private readonly Dictionary<int, Needs> _tokens = [];
    private readonly Dictionary<string, List<int>> _classes = [];

    internal TheirAssembly(byte[] code)
    {
        _image = new(new MemoryStream(code));
        _reader = _image.GetMetadataReader();
        Name = _reader.GetString(_reader.GetAssemblyDefinition().Name);
        foreach (var handle in _reader.TypeDefinitions)
        {
            // What the compiler makes of lambdas and iterators belongs to the class around it.
            var owner = SignatureText.Name(_reader, handle);
            if (owner.IndexOf("/<", StringComparison.Ordinal) is >= 0 and var end) owner = owner[..end];
            if (!_classes.TryGetValue(owner, out var parts)) _classes[owner] = parts = [];
            parts.Add(MetadataTokens.GetToken(handle));
        }
    }

    internal string Name { get; }

    /// <summary>The names of all types, with nested ones by '/'.</summary>
    internal IEnumerable<string> Classes => _classes.Keys;

    internal bool Has(string name) => _classes.ContainsKey(name);

    /// <summary>Whether it uses TorchSharp at all.</summary>
    internal bool UsesTorchSharp => References.Contains(Facade.Name);

    /// <summary>The assemblies that it refers to.</summary>
    internal List<string> References
    {
        get
        {
            List<string> names = [];
            foreach (var handle in _reader.AssemblyReferences) names.Add(_reader.GetString(_reader.GetAssemblyReference(handle).Name));
            return names;
        }
    }

    /// <summary>What a class needs, by itself.</summary>
    internal ClassNeeds Read(string name)
    {
        var needs = new ClassNeeds();
        List<int> tokens = [];
        foreach (var part in _classes[name])
        {
            tokens.Clear();
            var type = _reader.GetTypeDefinition((TypeDefinitionHandle)MetadataTokens.EntityHandle(part));
            Collect(type, tokens);
            foreach (var token in tokens)
            {
                var found = Of(token);
                if (found.Missing is { } missing) needs.Missing.Add(missing);
                foreach (var other in found.Classes) needs.Classes.Add(other);
                foreach (var absent in found.Absent) needs.Missing.Add(absent);
            }

            foreach (var method in type.GetMethods())
                if (Import(_reader.GetMethodDefinition(method)) is { } import) needs.Missing.Add(import);
        }

        return needs;
    }

    /// <summary>The classes that derive from TorchSharp's Module, as far as this assembly alone tells.</summary>
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
                _ => GenericParts.Of(_reader.GetTypeSpecification((TypeSpecificationHandle)parent).DecodeSignature(SignatureText.Instance, null)).Type,
            };
        }

        bool IsModule(string? name)
        {
            for (; name is not null; name = parents.GetValueOrDefault(name))
                if (name.StartsWith(Module, StringComparison.Ordinal) || OurSurface.Instance.IsModule(name)) return true;
            return false;
        }

        HashSet<string> found = [];
        foreach (var name in parents.Keys)
            if (IsModule(name)) found.Add(name);
        return found;
    }

    public void Dispose() => _image.Dispose();

    // What a type names: in its declaration, its members and their code.
    private void Collect(TypeDefinition type, List<int> tokens)
    {
        if (!type.BaseType.IsNil) tokens.Add(MetadataTokens.GetToken(type.BaseType));
        foreach (var implemented in type.GetInterfaceImplementations()) tokens.Add(MetadataTokens.GetToken(_reader.GetInterfaceImplementation(implemented).Interface));
        foreach (var method in type.GetMethods())
        {
            tokens.Add(MetadataTokens.GetToken(method));
            var definition = _reader.GetMethodDefinition(method);
            if (definition.RelativeVirtualAddress != 0) Tokens.Add(_image.GetMethodBody(definition.RelativeVirtualAddress), tokens);
        }

        foreach (var field in type.GetFields()) tokens.Add(MetadataTokens.GetToken(field));
    }

    private Needs Of(int token)
    {
        if (_tokens.TryGetValue(token, out var known)) return known;
        var handle = MetadataTokens.EntityHandle(token);
        List<string> classes = [], absent = [];
        foreach (var type in TypeHandles.Of(_reader, handle))
        {
            var place = MetadataTokens.EntityHandle(type);
            if (place.Kind == HandleKind.TypeDefinition)
            {
                classes.Add(ClassNeeds.Key(Name, SignatureText.Name(_reader, (TypeDefinitionHandle)place)));
                continue;
            }

            if (Scope((TypeReferenceHandle)place) is not { } scope) continue;
            var name = SignatureText.Name(_reader, (TypeReferenceHandle)place);
            if (scope != Facade.Name) classes.Add(ClassNeeds.Key(scope, name));
            else if (!OurSurface.Instance.HasType(name)) absent.Add($"type {Pretty.Type(name)}");
        }

        return _tokens[token] = new(Lacking(handle), classes.ToArray(), absent.ToArray());
    }

    // A member of TorchSharp that we do not have.
    private string? Lacking(EntityHandle handle)
    {
        if (handle.Kind == HandleKind.MethodSpecification) handle = _reader.GetMethodSpecification((MethodSpecificationHandle)handle).Method;
        if (handle.Kind != HandleKind.MemberReference) return null;
        var member = _reader.GetMemberReference((MemberReferenceHandle)handle);
        if (Parent(member.Parent) is not { } type || !OurSurface.Instance.HasType(type)) return null;
        var name = _reader.GetString(member.Name);
        var signature = member.GetKind() == MemberReferenceKind.Method
            ? SignatureText.Of(member.DecodeMethodSignature(SignatureText.Instance, null)) : member.DecodeFieldSignature(SignatureText.Instance, null);
        if (OurSurface.Instance.StubReason(type, name, signature) is { } reason) return $"{Pretty.Member(type, name, signature)}: {reason}";
        return OurSurface.Instance.Has(type, name, signature) ? null : Pretty.Member(type, name, signature);
    }

    // The TorchSharp type whose member it is.
    private string? Parent(EntityHandle parent) => parent.Kind switch
    {
        HandleKind.TypeReference when Scope((TypeReferenceHandle)parent) == Facade.Name => SignatureText.Name(_reader, (TypeReferenceHandle)parent),
        HandleKind.TypeSpecification => First(TypeHandles.Of(_reader, parent)) is { Kind: HandleKind.TypeReference } generic && Scope((TypeReferenceHandle)generic) == Facade.Name
            ? GenericParts.Of(_reader.GetTypeSpecification((TypeSpecificationHandle)parent).DecodeSignature(SignatureText.Instance, null)).Type : null,
        _ => null,
    };

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

    private string? Import(MethodDefinition method)
    {
        if (!method.Attributes.HasFlag(MethodAttributes.PinvokeImpl)) return null;
        var import = method.GetImport();
        var module = _reader.GetString(_reader.GetModuleReference(import.Module).Name);
        return module == Native ? $"native function {_reader.GetString(import.Name)} of {Native}" : null;
    }

    // What one token stands for.
    private sealed record Needs(string? Missing, string[] Classes, string[] Absent);
}
