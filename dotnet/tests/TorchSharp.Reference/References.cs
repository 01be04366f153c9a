using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace TorchSharp.Reference;

/// <summary>Creates references to types, and signatures.</summary>
internal sealed class References(MetadataBuilder metadata, Surface surface)
{
    private readonly Dictionary<string, EntityHandle> _types = [];
    private readonly Dictionary<string, AssemblyReferenceHandle> _assemblies = [];

    /// <summary>Adds a type of the assembly itself, before anything refers to it.</summary>
    internal void Define(string name, TypeDefinitionHandle row) => _types[name] = row;

    internal EntityHandle Type(string name)
    {
        if (_types.TryGetValue(name, out var known)) return known;
        if (!surface.External.TryGetValue(name, out var assembly))
            throw new KeyNotFoundException($"The list has no assembly for the type '{name}'.");
        var slash = name.LastIndexOf('/');
        var (space, simple) = Split(slash < 0 ? name : name[(slash + 1)..], nested: slash >= 0);
        var scope = slash < 0 ? Assembly(assembly) : Type(name[..slash]);
        return _types[name] = metadata.AddTypeReference(scope, metadata.GetOrAddString(space), metadata.GetOrAddString(simple));
    }

    /// <summary>Returns the handle of a base type, an interface or a constraint, which is a type specification if it is generic.</summary>
    internal EntityHandle Entity(string text)
    {
        var type = TypeText.Parse(text);
        if (type is { Element: null, Arguments: [] } && !type.Name.StartsWith('!')) return Type(type.Name);
        var blob = new BlobBuilder();
        Encode(new BlobEncoder(blob).TypeSpecificationSignature(), type);
        return metadata.AddTypeSpecification(metadata.GetOrAddBlob(blob));
    }

    internal static (string Space, string Name) Split(string name, bool nested)
    {
        var dot = nested ? -1 : name.LastIndexOf('.');
        return dot < 0 ? ("", name) : (name[..dot], name[(dot + 1)..]);
    }

    internal BlobHandle Method(bool isStatic, int generic, string result, IReadOnlyList<string> parameters)
    {
        var blob = new BlobBuilder();
        new BlobEncoder(blob).MethodSignature(SignatureCallingConvention.Default, generic, !isStatic)
            .Parameters(parameters.Count, returns => Encode(returns, TypeText.Parse(result)), all =>
            {
                foreach (var parameter in parameters) Encode(all.AddParameter(), TypeText.Parse(parameter));
            });
        return metadata.GetOrAddBlob(blob);
    }

    internal BlobHandle Field(string type)
    {
        var blob = new BlobBuilder();
        Encode(new BlobEncoder(blob).Field().Type(), TypeText.Parse(type));
        return metadata.GetOrAddBlob(blob);
    }

    internal BlobHandle Property(bool isStatic, string type, IReadOnlyList<string> indices)
    {
        var blob = new BlobBuilder();
        new BlobEncoder(blob).PropertySignature(!isStatic).Parameters(
            indices.Count,
            returns => Encode(returns, TypeText.Parse(type)),
            all =>
            {
                foreach (var index in indices) Encode(all.AddParameter(), TypeText.Parse(index));
            });
        return metadata.GetOrAddBlob(blob);
    }

    internal void Encode(SignatureTypeEncoder into, TypeText type)
    {
        switch (type)
        {
            case { Suffix: "*" }:
                if (type.Element!.Name == "void") into.VoidPointer();
                else Encode(into.Pointer(), type.Element);
                break;
            case { Suffix: "[]" }: Encode(into.SZArray(), type.Element!); break;
            case { Suffix: ['[', ..] }:
                var rank = type.Suffix.Length - 1;
                into.Array(element => Encode(element, type.Element!), shape => shape.Shape(rank, [], [.. new int[rank]]));
                break;
            case { Suffix: "modreq" or "modopt" }:
                into.CustomModifiers().AddModifier(Type(type.Modifier!.Name), type.Suffix == "modopt");
                Encode(into, type.Element!);
                break;
            case { Name: ['!', '!', ..] }: into.GenericMethodTypeParameter(int.Parse(type.Name[2..])); break;
            case { Name: ['!', ..] }: into.GenericTypeParameter(int.Parse(type.Name[1..])); break;
            case { Arguments: [_, ..] }:
                var instance = into.GenericInstantiation(Type(type.Name), type.Arguments.Length, surface.IsStruct(type.Name));
                foreach (var argument in type.Arguments) Encode(instance.AddArgument(), argument);
                break;
            default:
                if (Primitive(type.Name) is { } code) into.PrimitiveType(code);
                else into.Type(Type(type.Name), surface.IsStruct(type.Name));
                break;
        }
    }

    internal static PrimitiveTypeCode? Primitive(string name) => name switch
    {
        "bool" => PrimitiveTypeCode.Boolean,
        "char" => PrimitiveTypeCode.Char,
        "sbyte" => PrimitiveTypeCode.SByte,
        "byte" => PrimitiveTypeCode.Byte,
        "short" => PrimitiveTypeCode.Int16,
        "ushort" => PrimitiveTypeCode.UInt16,
        "int" => PrimitiveTypeCode.Int32,
        "uint" => PrimitiveTypeCode.UInt32,
        "long" => PrimitiveTypeCode.Int64,
        "ulong" => PrimitiveTypeCode.UInt64,
        "float" => PrimitiveTypeCode.Single,
        "double" => PrimitiveTypeCode.Double,
        "string" => PrimitiveTypeCode.String,
        "object" => PrimitiveTypeCode.Object,
        "nint" => PrimitiveTypeCode.IntPtr,
        "nuint" => PrimitiveTypeCode.UIntPtr,
        _ => null,
    };

    private void Encode(ReturnTypeEncoder into, TypeText type)
    {
        if (type.Suffix is "modreq" or "modopt")
        {
            into.CustomModifiers().AddModifier(Type(type.Modifier!.Name), type.Suffix == "modopt");
            type = type.Element!;
        }

        if (type.Name == "void") into.Void();
        else if (type.Suffix == "&") Encode(into.Type(isByRef: true), type.Element!);
        else Encode(into.Type(), type);
    }

    private void Encode(ParameterTypeEncoder into, TypeText type)
    {
        if (type.Suffix is "modreq" or "modopt")
        {
            into.CustomModifiers().AddModifier(Type(type.Modifier!.Name), type.Suffix == "modopt");
            type = type.Element!;
        }

        if (type.Suffix == "&") Encode(into.Type(isByRef: true), type.Element!);
        else Encode(into.Type(), type);
    }

    private AssemblyReferenceHandle Assembly(string name)
    {
        if (_assemblies.TryGetValue(name, out var known)) return known;
        var entry = surface.Head.GetProperty("external").GetProperty(name);
        var token = metadata.GetOrAddBlob(Convert.FromHexString(Surface.Text(entry, "token")));
        return _assemblies[name] = metadata.AddAssemblyReference(
            metadata.GetOrAddString(name), Version.Parse(Surface.Text(entry, "version")), default, token, default(AssemblyFlags), default);
    }
}
