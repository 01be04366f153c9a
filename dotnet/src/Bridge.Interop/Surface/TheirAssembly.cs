using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Bridge.Interop.Surface;

/// <summary>What the classes of one compiled assembly use: of TorchSharp, and of each other. Read from metadata; nothing of it runs.</summary>
internal sealed class TheirAssembly : IDisposable
{
    private const string Native = "LibTorchSharp";
    private readonly PEReader _image;
    private readonly MetadataReader _reader;
    private readonly Dictionary<EntityHandle, string?> _missing = [];
    private readonly Dictionary<string, List<TypeDefinitionHandle>> _classes = [];

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
            parts.Add(handle);
        }
    }

    internal string Name { get; }

    /// <summary>The names of all types, with nested ones by '/'.</summary>
    internal IEnumerable<string> Classes => _classes.Keys;

    internal bool Has(string name) => _classes.ContainsKey(name);

    /// <summary>Whether it uses TorchSharp at all.</summary>
    internal bool UsesTorchSharp => References.Contains(Facade.Name);

    /// <summary>The assemblies that it refers to.</summary>
    internal IEnumerable<string> References => _reader.AssemblyReferences.Select(handle => _reader.GetString(_reader.GetAssemblyReference(handle).Name));

    /// <summary>What a class needs: members of TorchSharp that Bridge.Torch lacks, and other classes by assembly (empty: this one) and name.</summary>
    internal (SortedSet<string> Missing, HashSet<(string Assembly, string Class)> Classes) Read(string name)
    {
        SortedSet<string> missing = new(StringComparer.Ordinal);
        HashSet<(string, string)> classes = [];
        foreach (var handle in _classes[name].SelectMany(Entities).Distinct()) Add(handle, missing, classes);
        foreach (var method in _classes[name].SelectMany(type => _reader.GetTypeDefinition(type).GetMethods()).Select(_reader.GetMethodDefinition))
            if (Import(method) is { } import) missing.Add(import);
        return (missing, classes);
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

        return [.. parents.Keys.Where(IsModule)];
    }

    public void Dispose() => _image.Dispose();

    private IEnumerable<EntityHandle> Entities(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        if (!type.BaseType.IsNil) yield return type.BaseType;
        foreach (var implemented in type.GetInterfaceImplementations()) yield return _reader.GetInterfaceImplementation(implemented).Interface;
        foreach (var method in type.GetMethods())
        {
            yield return method;
            var definition = _reader.GetMethodDefinition(method);
            if (definition.RelativeVirtualAddress == 0) continue;
            foreach (var token in Tokens.Of(_image.GetMethodBody(definition.RelativeVirtualAddress))) yield return token;
        }

        foreach (var field in type.GetFields()) yield return field;
    }

    private void Add(EntityHandle handle, SortedSet<string> missing, HashSet<(string, string)> classes)
    {
        if (!_missing.TryGetValue(handle, out var lacking)) _missing[handle] = lacking = Lacking(handle);
        if (lacking is not null) missing.Add(lacking);
        foreach (var type in TypeHandles.Of(_reader, handle))
        {
            if (type.Kind == HandleKind.TypeDefinition) classes.Add(("", SignatureText.Name(_reader, (TypeDefinitionHandle)type)));
            else if (Scope((TypeReferenceHandle)type) is { } scope && scope != Facade.Name) classes.Add((scope, SignatureText.Name(_reader, (TypeReferenceHandle)type)));
            else if (Scope((TypeReferenceHandle)type) == Facade.Name && SignatureText.Name(_reader, (TypeReferenceHandle)type) is var name && !OurSurface.Instance.HasType(name))
                missing.Add($"type {Pretty.Type(name)}");
        }
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
        return OurSurface.Instance.Has(type, name, signature) ? null : Pretty.Member(type, name, signature);
    }

    // The TorchSharp type whose member it is.
    private string? Parent(EntityHandle parent) => parent.Kind switch
    {
        HandleKind.TypeReference when Scope((TypeReferenceHandle)parent) == Facade.Name => SignatureText.Name(_reader, (TypeReferenceHandle)parent),
        HandleKind.TypeSpecification => TypeHandles.Of(_reader, parent).FirstOrDefault() is { Kind: HandleKind.TypeReference } generic && Scope((TypeReferenceHandle)generic) == Facade.Name
            ? GenericParts.Of(_reader.GetTypeSpecification((TypeSpecificationHandle)parent).DecodeSignature(SignatureText.Instance, null)).Type : null,
        _ => null,
    };

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
}
