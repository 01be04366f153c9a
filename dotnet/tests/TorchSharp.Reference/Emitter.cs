using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text.Json;

namespace TorchSharp.Reference;

/// <summary>Writes an assembly of signatures, in which every method body is <c>throw null</c>.</summary>
/// <remarks>Rows of metadata tables that have to be sorted by owner are collected first and written at the end.</remarks>
internal sealed class Emitter
{
    private readonly MetadataBuilder _metadata = new();
    private readonly BlobBuilder _code = new();
    private readonly Surface _surface;
    private readonly References _references;
    private readonly Attributes _attributes;
    private readonly List<(EntityHandle Owner, int Number, JsonElement Parameter)> _generics = [];
    private readonly List<(TypeDefinitionHandle Type, MethodDefinitionHandle Body, JsonElement Declaration)> _overrides = [];
    private readonly Dictionary<TypeDefinitionHandle, int> _first = []; // The first method of each type.
    private int _fields = 1;
    private int _methods = 1;
    private int _parameters = 1;

    internal Emitter(Surface surface)
    {
        _surface = surface;
        _references = new(_metadata, surface);
        _attributes = new(_metadata, _references);
        // ldnull; throw
        _code.WriteBytes(new byte[] { 0x0A, 0x14, 0x7A });
    }

    internal byte[] Emit()
    {
        var name = Surface.Text(_surface.Head, "assembly");
        var module = _metadata.AddModule(0, _metadata.GetOrAddString(name + ".dll"), _metadata.GetOrAddGuid(Guid.Empty), default, default);
        var assembly = _metadata.AddAssembly(
            _metadata.GetOrAddString(name), Version.Parse(Surface.Text(_surface.Head, "version")), default,
            _metadata.GetOrAddBlob(_surface.PublicKey), AssemblyFlags.PublicKey, AssemblyHashAlgorithm.Sha1);
        _metadata.AddTypeDefinition(
            default, default, _metadata.GetOrAddString("<Module>"), default,
            MetadataTokens.FieldDefinitionHandle(1), MetadataTokens.MethodDefinitionHandle(1));
        var types = _surface.Types;
        for (var i = 0; i < types.Count; i++) _references.Define(Surface.Name(types[i]), MetadataTokens.TypeDefinitionHandle(i + 2));
        foreach (var type in types) AddType(type);
        for (var i = 0; i < types.Count; i++) AddRelations(types[i], MetadataTokens.TypeDefinitionHandle(i + 2));
        AddOverrides();
        AddGenerics();
        _attributes.Add(assembly, Surface.List(_surface.Head, "attributes"));
        if (_surface.Head.TryGetProperty("refSafetyRules", out var rules))
        {
            object[] attribute = [ListedAttributes.RefSafetyRules, new object[] { new object[] { "int", rules } }];
            _attributes.Add(module, [JsonSerializer.SerializeToElement(attribute)]);
        }

        var image = new BlobBuilder();
        new ManagedPEBuilder(
            new PEHeaderBuilder(imageCharacteristics: Characteristics.ExecutableImage | Characteristics.Dll),
            new MetadataRootBuilder(_metadata), _code,
            flags: CorFlags.ILOnly, deterministicIdProvider: _ => new BlobContentId(Guid.Empty, 0)).Serialize(image);
        return image.ToArray();
    }

    private void AddType(JsonElement type)
    {
        var name = Surface.Name(type);
        var slash = name.LastIndexOf('/');
        var (space, simple) = References.Split(slash < 0 ? name : name[(slash + 1)..], nested: slash >= 0);
        var row = _metadata.AddTypeDefinition(
            Flags(type, slash >= 0), _metadata.GetOrAddString(space), _metadata.GetOrAddString(simple),
            Surface.Text(type, "base") is { Length: > 0 } parent ? _references.Entity(parent) : default,
            MetadataTokens.FieldDefinitionHandle(_fields), MetadataTokens.MethodDefinitionHandle(_methods));
        _first[row] = _methods;
        _attributes.Add(row, Surface.List(type, "attributes"));
        Collect(row, Surface.List(type, "generics"));
        foreach (var field in Surface.List(type, "fields")) AddField(field);
        foreach (var method in Surface.List(type, "methods")) AddMethod(row, method);
    }

    private void AddField(JsonElement field)
    {
        _fields++;
        var flags = Surface.Flags(field, "f");
        var attributes = (FieldAttributes)Access(flags);
        if (flags.Contains("static")) attributes |= FieldAttributes.Static;
        if (flags.Contains("literal")) attributes |= FieldAttributes.Literal | FieldAttributes.HasDefault;
        if (flags.Contains("initonly")) attributes |= FieldAttributes.InitOnly;
        if (flags.Contains("specialname")) attributes |= FieldAttributes.SpecialName;
        if (flags.Contains("rtspecialname")) attributes |= FieldAttributes.RTSpecialName;
        var name = _metadata.GetOrAddString(Surface.Text(field, "n"));
        var row = _metadata.AddFieldDefinition(attributes, name, _references.Field(Surface.Text(field, "t")));
        if (field.TryGetProperty("c", out var constant)) _metadata.AddConstant(row, Constants.Value(constant));
        _attributes.Add(row, Surface.List(field, "a"));
    }

    private void AddMethod(TypeDefinitionHandle type, JsonElement method)
    {
        var flags = Surface.Flags(method, "f");
        var parameters = Surface.List(method, "p").ToList();
        var generic = Surface.List(method, "g").ToList();
        var first = MetadataTokens.ParameterHandle(_parameters);
        if (method.TryGetProperty("ra", out var returned))
        {
            _parameters++;
            _attributes.Add(_metadata.AddParameter(default, default, 0), returned.EnumerateArray());
        }

        for (var i = 0; i < parameters.Count; i++) AddParameter(parameters[i], i + 1);
        var signature = _references.Method(
            flags.Contains("static"), generic.Count, Surface.Text(method, "r"),
            parameters.ConvertAll(parameter => Surface.Text(parameter, "t")));
        var hasBody = !flags.Contains("abstract") && !flags.Contains("runtime");
        var row = _metadata.AddMethodDefinition(
            MethodFlags(flags), flags.Contains("runtime") ? MethodImplAttributes.Runtime : MethodImplAttributes.IL,
            _metadata.GetOrAddString(Surface.Text(method, "n")), signature, hasBody ? 0 : -1, first);
        _methods++;
        _attributes.Add(row, Surface.List(method, "a"));
        Collect(row, generic);
        _overrides.AddRange(Surface.List(method, "i").Select(declaration => (type, row, declaration)));
    }

    private void AddParameter(JsonElement parameter, int position)
    {
        _parameters++;
        var flags = Surface.Flags(parameter, "f");
        var attributes = default(ParameterAttributes);
        if (flags.Contains("in")) attributes |= ParameterAttributes.In;
        if (flags.Contains("out")) attributes |= ParameterAttributes.Out;
        var optional = parameter.TryGetProperty("d", out var value);
        if (optional) attributes |= ParameterAttributes.Optional | ParameterAttributes.HasDefault;
        else if (flags.Contains("opt")) attributes |= ParameterAttributes.Optional;
        var row = _metadata.AddParameter(attributes, _metadata.GetOrAddString(Surface.Text(parameter, "n")), position);
        if (optional) _metadata.AddConstant(row, Constants.Value(value));
        _attributes.Add(row, Surface.List(parameter, "a"));
    }

    private void AddRelations(JsonElement type, TypeDefinitionHandle row)
    {
        var name = Surface.Name(type);
        var slash = name.LastIndexOf('/');
        if (slash >= 0) _metadata.AddNestedType(row, (TypeDefinitionHandle)_references.Type(name[..slash]));
        var about = Surface.List(type, "interfaceAttributes")
            .ToDictionary(entry => Surface.Text(entry, "t"), entry => Surface.List(entry, "a"));
        var interfaces = Surface.List(type, "interfaces").Select(entry => entry.GetString()!)
            .Select(text => (text, Handle: _references.Entity(text)));
        foreach (var (text, handle) in interfaces) // in the order of their declaration, as compilers write them
        {
            var made = _metadata.AddInterfaceImplementation(row, handle);
            if (about.TryGetValue(text, out var attributes)) _attributes.Add(made, attributes);
        }

        AddProperties(type, row);
        AddEvents(type, row);
    }

    private void AddEvents(JsonElement type, TypeDefinitionHandle row)
    {
        var first = true;
        foreach (var entry in Surface.List(type, "events"))
        {
            var name = _metadata.GetOrAddString(Surface.Text(entry, "n"));
            var made = _metadata.AddEvent(default, name, _references.Entity(Surface.Text(entry, "t")));
            if (first) _metadata.AddEventMap(row, made);
            first = false;
            _attributes.Add(made, Surface.List(entry, "a"));
            Link(type, row, made, entry, "add", MethodSemanticsAttributes.Adder);
            Link(type, row, made, entry, "remove", MethodSemanticsAttributes.Remover);
        }
    }

    private void AddProperties(JsonElement type, TypeDefinitionHandle row)
    {
        var first = true;
        foreach (var property in Surface.List(type, "properties"))
        {
            var made = _metadata.AddProperty(
                default, _metadata.GetOrAddString(Surface.Text(property, "n")),
                _references.Property(
                    Surface.Flags(property, "f").Contains("static"), Surface.Text(property, "t"),
                    [.. Surface.List(property, "p").Select(index => index.GetString()!)]));
            if (first) _metadata.AddPropertyMap(row, made);
            first = false;
            _attributes.Add(made, Surface.List(property, "a"));
            Link(type, row, made, property, "get", MethodSemanticsAttributes.Getter);
            Link(type, row, made, property, "set", MethodSemanticsAttributes.Setter);
        }
    }

    // Accessors of the same name are overloads of an indexer: the right one has the property's indices as its first parameters.
    private void Link(
        JsonElement type,
        TypeDefinitionHandle row,
        EntityHandle made,
        JsonElement property,
        string key,
        MethodSemanticsAttributes semantics)
    {
        if (Surface.Text(property, key) is not { Length: > 0 } accessor) return;
        var indices = Surface.List(property, "p").Select(index => index.GetString()!).ToList();
        var methods = Surface.List(type, "methods").ToList();
        var found = methods.FindIndex(method => Surface.Text(method, "n") == accessor
            && Surface.List(method, "p").Select(parameter => Surface.Text(parameter, "t")).Take(indices.Count).SequenceEqual(indices)
            && Surface.List(method, "p").Count() == indices.Count + (semantics == MethodSemanticsAttributes.Getter ? 0 : 1));
        _metadata.AddMethodSemantics(made, semantics, MetadataTokens.MethodDefinitionHandle(_first[row] + found));
    }

    private void AddOverrides()
    {
        foreach (var (type, body, declaration) in _overrides.OrderBy(entry => MetadataTokens.GetRowNumber(entry.Type)))
        {
            var name = _metadata.GetOrAddString(Surface.Text(declaration, "n"));
            var arity = declaration.TryGetProperty("g", out var generic) ? generic.GetInt32() : 0;
            var parameters = Surface.List(declaration, "p")
                .Select(parameter => parameter.ValueKind == JsonValueKind.String ? parameter.GetString()! : Surface.Text(parameter, "t"));
            var signature = _references.Method(isStatic: false, arity, Surface.Text(declaration, "r"), [.. parameters]);
            var declared = _metadata.AddMemberReference(_references.Entity(Surface.Text(declaration, "t")), name, signature);
            _metadata.AddMethodImplementation(type, body, declared);
        }
    }

    private void Collect(EntityHandle owner, IEnumerable<JsonElement> parameters) =>
        _generics.AddRange(parameters.Select((parameter, number) => (owner, number, parameter)));

    private void AddGenerics()
    {
        var ordered = _generics.OrderBy(entry => CodedIndex.TypeOrMethodDef(entry.Owner)).ThenBy(entry => entry.Number);
        foreach (var (owner, number, parameter) in ordered)
        {
            var flags = Surface.Flags(parameter, "f");
            var attributes = Surface.Text(parameter, "v") switch
            {
                "out" or "+" => GenericParameterAttributes.Covariant,
                "in" or "-" => GenericParameterAttributes.Contravariant,
                _ => default,
            };
            if (flags.Contains("class")) attributes |= GenericParameterAttributes.ReferenceTypeConstraint;
            if (flags.Contains("struct")) attributes |= GenericParameterAttributes.NotNullableValueTypeConstraint;
            if (flags.Contains("new")) attributes |= GenericParameterAttributes.DefaultConstructorConstraint;
            var row = _metadata.AddGenericParameter(owner, attributes, _metadata.GetOrAddString(Surface.Text(parameter, "n")), number);
            foreach (var constraint in Surface.List(parameter, "c"))
                _metadata.AddGenericParameterConstraint(row, _references.Entity(constraint.GetString()!));
            _attributes.Add(row, Surface.List(parameter, "a"));
        }
    }

    private static TypeAttributes Flags(JsonElement type, bool nested)
    {
        var flags = Surface.Flags(type, "flags");
        var attributes = (flags.Contains("public"), flags.Contains("protected"), flags.Contains("internal")) switch
        {
            (true, _, _) => nested ? TypeAttributes.NestedPublic : TypeAttributes.Public,
            _ when !nested => TypeAttributes.NotPublic,
            (_, true, true) => TypeAttributes.NestedFamORAssem,
            (_, true, _) => TypeAttributes.NestedFamily,
            (_, _, true) => TypeAttributes.NestedAssembly,
            _ => TypeAttributes.NestedPrivate,
        };
        if (Surface.Text(type, "kind") == "interface") attributes |= TypeAttributes.Interface;
        if (flags.Contains("abstract")) attributes |= TypeAttributes.Abstract;
        if (flags.Contains("sealed")) attributes |= TypeAttributes.Sealed;
        if (flags.Contains("sequential")) attributes |= TypeAttributes.SequentialLayout;
        if (flags.Contains("beforefieldinit")) attributes |= TypeAttributes.BeforeFieldInit;
        return attributes;
    }

    private static MethodAttributes MethodFlags(HashSet<string> flags)
    {
        var attributes = (MethodAttributes)Access(flags);
        if (!flags.Contains("hidebyname")) attributes |= MethodAttributes.HideBySig;
        if (flags.Contains("static")) attributes |= MethodAttributes.Static;
        if (flags.Contains("virtual")) attributes |= MethodAttributes.Virtual;
        if (flags.Contains("newslot")) attributes |= MethodAttributes.NewSlot;
        if (flags.Contains("final")) attributes |= MethodAttributes.Final;
        if (flags.Contains("abstract")) attributes |= MethodAttributes.Abstract;
        if (flags.Contains("strict")) attributes |= MethodAttributes.CheckAccessOnOverride;
        if (flags.Contains("specialname")) attributes |= MethodAttributes.SpecialName;
        if (flags.Contains("rtspecialname")) attributes |= MethodAttributes.RTSpecialName;
        return attributes;
    }

    // Fields and methods have the same numbers of accessibility.
    private static int Access(HashSet<string> flags) => (int)(
        flags.Contains("private") ? flags.Contains("protected") ? MethodAttributes.FamANDAssem : MethodAttributes.Private
        : flags.Contains("protected") ? flags.Contains("internal") ? MethodAttributes.FamORAssem : MethodAttributes.Family
        : flags.Contains("internal") ? MethodAttributes.Assembly : MethodAttributes.Public);
}
