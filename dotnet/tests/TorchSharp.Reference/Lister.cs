using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>
/// Writes the list of an assembly's public surface (surface.jsonl). Of the namespace Tensorboard it lists names alone: its classes
/// implement interfaces of Google.Protobuf, and where that is not referenced, C# that names such a class would not compile.
/// </summary>
internal sealed class Lister : IDisposable
{
    private static readonly JsonSerializerOptions Written = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private readonly PEReader _file;
    private readonly MetadataReader _reader;
    private readonly ListedTypes _types;
    private readonly ListedAttributes _attributes;
    private readonly ListedMembers _members;
    private readonly UseCounts _uses;

    /// <param name="library">TorchSharp.dll, or the assembly of its signatures.</param>
    /// <param name="before">A list that gives what no assembly has: how often members are used, and the description of the format.</param>
    internal Lister(string library, Surface before)
    {
        _file = new(new MemoryStream(File.ReadAllBytes(library)));
        _reader = _file.GetMetadataReader();
        _types = new(_reader);
        _attributes = new(_reader, _types);
        _members = new(_reader, _types, _attributes);
        _uses = new(before);
        Format = Surface.Text(before.Head, "format");
    }

    private string Format { get; }

    public void Dispose() => _file.Dispose();

    /// <summary>Yields the lines: the head, the types, those of Tensorboard, and the hidden ones that a hidden member mentions.</summary>
    internal IEnumerable<string> Lines()
    {
        var head = Head();
        var visible = _reader.TypeDefinitions.Where(type => Visibility.IsVisible(_reader, type)).ToLookup(IsOpaque);
        var listed = visible[false].Select(Type).Concat(visible[true].Select(Opaque)).ToList();
        var hidden = _types.Own.Where(type => !Visibility.IsVisible(_reader, type)).ToList();
        listed.AddRange(hidden.OrderBy(type => SignatureText.Name(_reader, type), StringComparer.Ordinal).Select(Opaque));
        AddReferences(head);
        return listed.Prepend(head).Select(entry => entry.ToJsonString(Written));
    }

    private bool IsOpaque(TypeDefinitionHandle type) =>
        SignatureText.Name(_reader, type).StartsWith("Tensorboard.", StringComparison.Ordinal);

    private JsonObject Head()
    {
        var assembly = _reader.GetAssemblyDefinition();
        var head = new JsonObject
        {
            ["assembly"] = _reader.GetString(assembly.Name),
            ["version"] = assembly.Version.ToString(),
            ["publicKey"] = Convert.ToHexString(_reader.GetBlobBytes(assembly.PublicKey)),
        };
        ListedMembers.Put(head, "attributes", _attributes.List(assembly.GetCustomAttributes()));
        if (_attributes.SafetyRules() is { } rules) head["refSafetyRules"] = rules;
        return head;
    }

    // What the listed types mention, which is known after them.
    private void AddReferences(JsonObject head)
    {
        var external = new JsonObject();
        foreach (var (name, reference, classes, structs) in _types.External())
        {
            external[name] = new JsonObject
            {
                ["version"] = reference.Version.ToString(),
                ["token"] = Convert.ToHexString(_reader.GetBlobBytes(reference.PublicKeyOrToken)).ToLowerInvariant(),
                ["classes"] = new JsonArray([.. classes.Select(type => JsonValue.Create(type))]),
                ["structs"] = new JsonArray([.. structs.Select(type => JsonValue.Create(type))]),
            };
        }

        head["external"] = external;
        head["format"] = Format;
    }

    private JsonObject Type(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        var entry = Beginning(handle, type);
        if (!type.BaseType.IsNil) entry["base"] = _types.Entity(type.BaseType);
        AddInterfaces(entry, type);
        ListedMembers.Put(entry, "generics", _members.Generics(type.GetGenericParameters()));
        ListedMembers.Put(entry, "attributes", _attributes.List(type.GetCustomAttributes()));
        ListedMembers.Put(entry, "fields", _members.Fields(type, Kind(type) is "struct"));
        ListedMembers.Put(entry, "methods", _members.Methods(type));
        ListedMembers.Put(entry, "properties", _members.Properties(type));
        ListedMembers.Put(entry, "events", _members.Events(type));
        _uses.Add(entry);
        return entry;
    }

    // A type whose name alone matters. A class derives from object, and of an enumeration's fields there is the one that holds the value.
    private JsonObject Opaque(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        var entry = Beginning(handle, type);
        entry["opaque"] = true;
        if (Kind(type) is "class") entry["base"] = "System.Object";
        else if (!type.BaseType.IsNil) entry["base"] = _types.Entity(type.BaseType);
        ListedMembers.Put(entry, "attributes", _attributes.List(type.GetCustomAttributes(), only: "System.ObsoleteAttribute"));
        if (Kind(type) is "enum") entry["fields"] = new JsonArray(_members.Fields(type, isStruct: false, only: "value__")[0]!.DeepClone());
        return entry;
    }

    private JsonObject Beginning(TypeDefinitionHandle handle, TypeDefinition type) => new()
    {
        ["name"] = SignatureText.Name(_reader, handle),
        ["kind"] = Kind(type),
        ["flags"] = ListedFlags.Type(type.Attributes),
    };

    private void AddInterfaces(JsonObject entry, TypeDefinition type)
    {
        var (interfaces, about) = (new JsonArray(), new JsonArray());
        foreach (var implementation in type.GetInterfaceImplementations().Select(_reader.GetInterfaceImplementation))
        {
            var name = _types.Entity(implementation.Interface);
            interfaces.Add(name);
            if (_attributes.List(implementation.GetCustomAttributes()) is { } attributes)
                about.Add(new JsonObject { ["t"] = name, ["a"] = attributes });
        }

        ListedMembers.Put(entry, "interfaces", interfaces);
        ListedMembers.Put(entry, "interfaceAttributes", about);
    }

    private string Kind(TypeDefinition type)
    {
        if (type.Attributes.HasFlag(TypeAttributes.Interface)) return "interface";
        return type.BaseType.Kind == HandleKind.TypeReference
            ? SignatureText.Name(_reader, (TypeReferenceHandle)type.BaseType) switch
            {
                "System.Enum" => "enum",
                "System.ValueType" => "struct",
                "System.MulticastDelegate" => "delegate",
                _ => "class",
            }
            : "class";
    }
}
