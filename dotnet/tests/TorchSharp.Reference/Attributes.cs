using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text.Json;

namespace TorchSharp.Reference;

/// <summary>Writes attributes: <c>[type, [[argument type, value] …], [[P or F, name, type, value] …]]</c>.</summary>
internal sealed class Attributes(MetadataBuilder metadata, References references)
{
    private readonly Dictionary<string, EntityHandle> _constructors = [];

    internal void Add(EntityHandle owner, IEnumerable<JsonElement> attributes)
    {
        foreach (var attribute in attributes) Add(owner, attribute);
    }

    private void Add(EntityHandle owner, JsonElement attribute)
    {
        var items = attribute.EnumerateArray().ToList();
        var type = items[0].GetString()!;
        var given = items.Count > 1 ? items[1].EnumerateArray().ToList() : [];
        var named = items.Count > 2 ? items[2].EnumerateArray().ToList() : [];
        var types = given.ConvertAll(argument => argument[0].GetString()!);
        var blob = new BlobBuilder();
        blob.WriteUInt16(1);
        foreach (var argument in given) Write(blob, argument[0].GetString()!, argument[1]);
        blob.WriteUInt16((ushort)named.Count);
        foreach (var argument in named)
        {
            var kind = argument[2].GetString()!;
            blob.WriteByte(argument[0].GetString() == "P" ? (byte)0x54 : (byte)0x53);
            blob.WriteByte((byte)(References.Primitive(kind) ?? throw new NotSupportedException($"a named argument of type {kind}")));
            blob.WriteSerializedString(argument[1].GetString());
            Write(blob, kind, argument[3]);
        }

        metadata.AddCustomAttribute(owner, Constructor(type, types), metadata.GetOrAddBlob(blob));
    }

    private EntityHandle Constructor(string type, List<string> types)
    {
        var key = $"{type}({string.Join(",", types)})";
        if (_constructors.TryGetValue(key, out var known)) return known;
        return _constructors[key] = metadata.AddMemberReference(
            references.Type(type), metadata.GetOrAddString(".ctor"), references.Method(isStatic: false, 0, "void", types));
    }

    private static void Write(BlobBuilder blob, string type, JsonElement value)
    {
        if (type.EndsWith("[]", StringComparison.Ordinal))
        {
            if (value.ValueKind == JsonValueKind.Null)
            {
                blob.WriteUInt32(uint.MaxValue);
                return;
            }

            blob.WriteUInt32((uint)value.GetArrayLength());
            foreach (var item in value.EnumerateArray()) Write(blob, type[..^2], item);
            return;
        }

        switch (type)
        {
            case "string" or "System.Type": blob.WriteSerializedString(value.GetString()); break;
            case "bool": blob.WriteBoolean(value.GetBoolean()); break;
            case "byte": blob.WriteByte(value.GetByte()); break;
            default: blob.WriteInt32(value.GetInt32()); break; // An int, or an enumeration of ints.
        }
    }
}
