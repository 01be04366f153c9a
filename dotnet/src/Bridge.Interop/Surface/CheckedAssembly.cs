using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Bridge.Torch.Vision;

namespace Bridge.Interop.Surface;

/// <summary>
/// Reads from the metadata of a compiled assembly what its types and methods use: TorchSharp members that Bridge.Torch lacks, and types and
/// methods of assemblies that are checked in the same way. A type or method is read when it is first requested.
/// </summary>
/// <remarks>
/// A process checks few assemblies, so most of the time of a check goes into compiling this code. Its collections hold integers (metadata
/// tokens) and references, for which .NET has precompiled code, rather than handles or tuples.
/// </remarks>
internal sealed class CheckedAssembly : IDisposable
{
    private const string Native = "LibTorchSharp";
    private readonly PEReader _image;
    private readonly Func<string, CheckedAssembly?> _open;
    private readonly Dictionary<string, int> _tokens = [];
    private readonly Dictionary<int, CheckedType> _types = [];
    private readonly Dictionary<int, CheckedMethod> _methods = [];
    private readonly Dictionary<int, Uses> _uses = [];

    /// <param name="code">The bytes of the assembly.</param>
    /// <param name="open">Returns a referenced assembly by name; null for an assembly that is not checked.</param>
    internal CheckedAssembly(byte[] code, Func<string, CheckedAssembly?>? open = null)
    {
        _image = new(new MemoryStream(code));
        _open = open ?? (_ => null);
        Reader = _image.GetMetadataReader();
        Name = Reader.GetString(Reader.GetAssemblyDefinition().Name);
        foreach (var handle in Reader.TypeDefinitions) _tokens[SignatureText.Name(Reader, handle)] = MetadataTokens.GetToken(handle);
    }

    internal MetadataReader Reader { get; }

    internal string Name { get; }

    /// <summary>The types, without those that the compiler adds for lambdas, iterators and the like.</summary>
    internal IEnumerable<CheckedType> Types =>
        _tokens.Keys.Where(name => !name.Contains('<', StringComparison.Ordinal)).Select(name => Find(name)!);

    internal bool UsesTorchSharp => References.Contains(Facade.Name);

    internal List<string> References
    {
        get
        {
            List<string> names = [];
            foreach (var handle in Reader.AssemblyReferences) names.Add(Reader.GetString(Reader.GetAssemblyReference(handle).Name));
            return names;
        }
    }

    /// <summary>Returns the type of this name, with '/' before a nested type; null if there is none.</summary>
    internal CheckedType? Find(string name)
    {
        if (!_tokens.TryGetValue(name, out var token)) return null;
        if (!_types.TryGetValue(token, out var type))
            _types[token] = type = new(this, (TypeDefinitionHandle)MetadataTokens.EntityHandle(token), name);
        return type;
    }

    /// <summary>Returns the type of this name in this assembly or a checked assembly to which it refers; null if there is none.</summary>
    internal CheckedType? FindReferenced(string name) =>
        Find(name) ?? References.Select(other => _open(other)?.Find(name)).FirstOrDefault(type => type is not null);

    internal CheckedMethod Method(MethodDefinitionHandle handle)
    {
        var token = MetadataTokens.GetToken(handle);
        if (!_methods.TryGetValue(token, out var method))
        {
            var type = Reader.GetMethodDefinition(handle).GetDeclaringType();
            _methods[token] = method = new(Find(SignatureText.Name(Reader, type))!, handle);
        }

        return method;
    }

    internal CheckedMethod[] MethodsOf(TypeDefinition type)
    {
        List<CheckedMethod> found = [];
        foreach (var handle in type.GetMethods()) found.Add(Method(handle));
        return found.ToArray();
    }

    internal CheckedType?[] InterfacesOf(TypeDefinition type)
    {
        List<CheckedType?> found = [];
        foreach (var handle in type.GetInterfaceImplementations())
            found.Add(Resolve(Reader.GetInterfaceImplementation(handle).Interface));
        return found.ToArray();
    }

    /// <summary>Returns the checked type to which a handle refers; for a generic instance the generic type; null for other types.</summary>
    internal CheckedType? Resolve(EntityHandle handle)
    {
        if (handle.Kind == HandleKind.TypeSpecification) handle = First(TypeHandles.Collect(Reader, handle));
        if (handle.Kind == HandleKind.TypeDefinition) return Find(SignatureText.Name(Reader, (TypeDefinitionHandle)handle));
        return handle.Kind == HandleKind.TypeReference && Scope((TypeReferenceHandle)handle) is { } scope && scope != Facade.Name
            ? _open(scope)?.Find(SignatureText.Name(Reader, (TypeReferenceHandle)handle)) : null;
    }

    /// <summary>Returns whether a type derives from TorchSharp's Module, directly or through other classes.</summary>
    internal bool IsModule(CheckedType type)
    {
        const string module = "TorchSharp.torch/nn/Module";
        while (type.Base is { } own) type = own;
        var reader = type.Assembly.Reader;
        var parent = type.Definition.BaseType;
        var name = parent.IsNil ? "" : parent.Kind switch
        {
            HandleKind.TypeReference => SignatureText.Name(reader, (TypeReferenceHandle)parent),
            HandleKind.TypeSpecification => type.Assembly.GenericType((TypeSpecificationHandle)parent),
            _ => "",
        };
        // An interface has no base.
        return name.Length > 0 && (name.StartsWith(module, StringComparison.Ordinal) || BridgeTorchSurface.Instance.IsModule(name));
    }

    /// <summary>
    /// Returns what the declaration of a type uses. The type's static constructor counts as used. The fields of a compiler-generated type
    /// count as used only where code uses them.
    /// </summary>
    internal Uses UsesOf(CheckedType type)
    {
        var uses = new Uses();
        if (!type.Definition.BaseType.IsNil) AddTypes(type.Definition.BaseType, uses, uses.Types);
        foreach (var item in type.Definition.GetInterfaceImplementations())
            AddTypes(Reader.GetInterfaceImplementation(item).Interface, uses, uses.Types);
        if (!type.IsGenerated)
            foreach (var field in type.Definition.GetFields()) AddTypes(field, uses, uses.Types);
        foreach (var method in type.Methods)
            if (method.Name == ".cctor") uses.Methods.Add(method);
        return uses;
    }

    /// <summary>Returns what the signature and the code of a method use.</summary>
    internal Uses[] UsesOf(CheckedMethod method)
    {
        var own = new Uses();
        AddTypes(method.Handle, own, own.Types);
        if (NativeImport(method.Definition) is { } function) own.Missing.Add(function);
        List<Uses> found = [own];
        if (method.Definition.RelativeVirtualAddress != 0)
        {
            List<int> tokens = [];
            InstructionTokens.Add(_image.GetMethodBody(method.Definition.RelativeVirtualAddress), tokens);
            HashSet<int> seen = [];
            foreach (var token in tokens)
                if (seen.Add(token)) found.Add(UsesOf(token));
        }

        return found.ToArray();
    }

    /// <summary>Returns the names of TorchSharp's members to which the assembly refers, such as <c>torch.Tensor.get_shape</c>.</summary>
    internal IEnumerable<string> TorchSharpMembers()
    {
        HashSet<string> names = [];
        foreach (var handle in Reader.MemberReferences)
        {
            var member = Reader.GetMemberReference(handle);
            if (TorchSharpParent(member.Parent) is { } type) names.Add(CSharpText.Member(type, Reader.GetString(member.Name)));
        }

        return names;
    }

    public void Dispose() => _image.Dispose();

    private Uses UsesOf(int token)
    {
        if (_uses.TryGetValue(token, out var known)) return known;
        var uses = _uses[token] = new Uses();
        var handle = MetadataTokens.EntityHandle(token);
        if (handle.Kind == HandleKind.MethodSpecification)
        {
            // Objects of the type arguments may be created, by Activator or by TorchSharp.
            AddTypes(handle, uses, uses.Created);
            handle = Reader.GetMethodSpecification((MethodSpecificationHandle)handle).Method;
        }

        switch (handle.Kind)
        {
            case HandleKind.MethodDefinition:
                AddCall(Method((MethodDefinitionHandle)handle), uses);
                break;
            case HandleKind.FieldDefinition:
                AddTypes(handle, uses, uses.Types);
                break;
            case HandleKind.MemberReference:
                AddReference((MemberReferenceHandle)handle, uses);
                break;
            default:
                AddTypes(handle, uses, uses.Created);
                break;
        }

        return uses;
    }

    private static void AddCall(CheckedMethod method, Uses uses)
    {
        uses.Methods.Add(method);
        if (method.IsConstructor) uses.Created.Add(method.Type);
    }

    private void AddReference(MemberReferenceHandle handle, Uses uses)
    {
        var member = Reader.GetMemberReference(handle);
        // Objects of the parent's type arguments may be created.
        AddTypes(member.Parent, uses, member.Parent.Kind == HandleKind.TypeSpecification ? uses.Created : uses.Types);
        if (Resolve(member.Parent) is { } own)
        {
            if (member.GetKind() == MemberReferenceKind.Method) AddMethods(own, member, uses);
            else AddFieldType(member, uses);
        }
        else if (FindMissingMember(member) is { } missing) uses.Missing.Add(missing);
    }

    private void AddFieldType(MemberReference member, Uses uses)
    {
        var text = member.DecodeFieldSignature(SignatureText.Instance, null);
        if (FindReferenced(GenericParts.Split(text).Type) is { } type) uses.Types.Add(type);
    }

    // Adds the methods with exactly this signature; if there are none, all methods with this name.
    private void AddMethods(CheckedType type, MemberReference member, Uses uses)
    {
        var name = Reader.GetString(member.Name);
        for (var parent = type; parent is not null; parent = parent.Base)
        {
            var named = parent.Methods.Where(method => method.Name == name).ToArray();
            if (named.Length == 0) continue;
            if (named.Length > 1)
            {
                var signature = SignatureText.Format(member.DecodeMethodSignature(SignatureText.Instance, null));
                var exact = named.Where(method =>
                    SignatureText.Format(method.Definition.DecodeSignature(SignatureText.Instance, null)) == signature).ToArray();
                if (exact.Length > 0) named = exact;
            }

            foreach (var method in named) AddCall(method, uses);
            return;
        }
    }

    // Adds to `types` the checked types to which a handle refers, and to `uses.Missing` the TorchSharp types that Bridge.Torch lacks.
    private void AddTypes(EntityHandle handle, Uses uses, List<CheckedType> types)
    {
        foreach (var token in TypeHandles.Collect(Reader, handle))
        {
            var used = MetadataTokens.EntityHandle(token);
            if (used.Kind == HandleKind.TypeReference && Scope((TypeReferenceHandle)used) == Facade.Name)
            {
                var name = SignatureText.Name(Reader, (TypeReferenceHandle)used);
                if (!BridgeTorchSurface.Instance.HasType(name)) uses.Missing.Add($"type {CSharpText.Type(name)}");
            }
            else if (Resolve(used) is { } type)
            {
                types.Add(type);
                if (types == uses.Created) AddParameterless(type, uses);
            }
        }
    }

    // Reflection may create an object of a type to which code refers, by `new T()` or Activator.
    private static void AddParameterless(CheckedType type, Uses uses)
    {
        foreach (var method in type.Methods)
            if (method is { IsConstructor: true, Slot: "ctor`0" }) uses.Methods.Add(method);
    }

    // Returns the C# text of a TorchSharp type's member if Bridge.Torch has the type, but lacks the member or has only a stub of it;
    // otherwise null.
    private string? FindMissingMember(MemberReference member)
    {
        if (TorchSharpParent(member.Parent) is not { } type || !BridgeTorchSurface.Instance.HasType(type)) return null;
        var name = Reader.GetString(member.Name);
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
                return SignatureText.Name(Reader, (TypeReferenceHandle)parent);
            case HandleKind.TypeSpecification when First(TypeHandles.Collect(Reader, parent)) is { Kind: HandleKind.TypeReference } generic
                && Scope((TypeReferenceHandle)generic) == Facade.Name:
                return GenericType((TypeSpecificationHandle)parent);
            default:
                return null;
        }
    }

    private string GenericType(TypeSpecificationHandle handle) =>
        GenericParts.Split(Reader.GetTypeSpecification(handle).DecodeSignature(SignatureText.Instance, null)).Type;

    private static EntityHandle First(List<int> tokens) => tokens.Count == 0 ? default : MetadataTokens.EntityHandle(tokens[0]);

    private string? Scope(TypeReferenceHandle handle)
    {
        var scope = Reader.GetTypeReference(handle).ResolutionScope;
        return scope.Kind switch
        {
            HandleKind.TypeReference => Scope((TypeReferenceHandle)scope),
            HandleKind.AssemblyReference => Reader.GetString(Reader.GetAssemblyReference((AssemblyReferenceHandle)scope).Name),
            _ => null,
        };
    }

    // Returns the function that the method imports from TorchSharp's native library, as a message names it; null for any other method,
    // and for a function that Bridge.Torch provides.
    private string? NativeImport(MethodDefinition method)
    {
        if (!method.Attributes.HasFlag(MethodAttributes.PinvokeImpl)) return null;
        var import = method.GetImport();
        var module = Reader.GetString(Reader.GetModuleReference(import.Module).Name);
        var name = Reader.GetString(import.Name);
        return module != Native || VisionLibrary.Provides(Reader.GetString(Reader.GetAssemblyDefinition().Name), name)
            ? null : $"native function {name} of {Native}";
    }
}
