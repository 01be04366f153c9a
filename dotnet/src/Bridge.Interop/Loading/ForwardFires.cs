using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Bridge.Interop.Surface;

namespace Bridge.Interop;

/// <summary>Makes <c>child.forward(x)</c> a <c>call</c> in a compiled assembly, without its source: hooks fire, and traces see the child.</summary>
/// <remarks>
/// <para>C# compiles <c>child.forward(x)</c>, whatever the child's own class, to a reference to <c>torch.nn.Module&lt;…&gt;.forward</c>, which is abstract. Overrides
/// are bound by their definitions and do not use that reference; <c>base.forward(x)</c> names the class whose <c>forward</c> it runs. So that one row
/// of the table of member references is renamed, in the bytes, before the assembly is loaded.</para>
/// <para>Out of reach: overloads of <c>forward</c> that the user added, reflection, and <c>dynamic</c>.</para>
/// </remarks>
internal static class ForwardFires
{
    private const string From = "forward";
    private const string Module = "TorchSharp.torch/nn/Module`";

    /// <summary>Renames the references in place.</summary>
    /// <param name="code">The assembly.</param>
    internal static void Rewrite(byte[] code)
    {
        using var image = new PEReader(new MemoryStream(code));
        var reader = image.GetMetadataReader();
        var rows = reader.MemberReferences.Where(row => IsForward(reader, row)).ToList();
        if (rows.Count == 0) return;
        var start = image.PEHeaders.MetadataStartOffset;
        var strings = start + reader.GetHeapMetadataOffset(HeapIndex.String);
        var heap = code.AsSpan(strings, reader.GetHeapSize(HeapIndex.String));
        var name = heap.IndexOf("call\0"u8);
        // The heap has no room for a string of ours. The end of the old one is a name too, and Module has a method of that name.
        if (name < 0) name = reader.GetHeapOffset(reader.GetMemberReference(rows[0]).Name) + From.IndexOf("ward", StringComparison.Ordinal);
        var wide = heap.Length > ushort.MaxValue ? 4 : 2;
        var row = reader.GetTableRowSize(TableIndex.MemberRef);
        var column = row - wide - (reader.GetHeapSize(HeapIndex.Blob) > ushort.MaxValue ? 4 : 2);
        var table = start + reader.GetTableMetadataOffset(TableIndex.MemberRef);
        foreach (var handle in rows)
        {
            var place = table + (MetadataTokens.GetRowNumber(handle) - 1) * row + column;
            for (var i = 0; i < wide; i++) code[place + i] = (byte)(name >> (8 * i));
        }
    }

    // Where an override says by itself what it overrides (with a result of a derived type), the row names the method to override, too.
    private static bool IsForward(MetadataReader reader, MemberReferenceHandle handle)
    {
        var member = reader.GetMemberReference(handle);
        return member.Parent.Kind == HandleKind.TypeSpecification && reader.StringComparer.Equals(member.Name, From)
            && reader.GetTypeSpecification((TypeSpecificationHandle)member.Parent).DecodeSignature(SignatureText.Instance, null).StartsWith(Module, StringComparison.Ordinal)
            && !Enumerable.Range(1, reader.GetTableRowCount(TableIndex.MethodImpl))
                .Any(row => reader.GetMethodImplementation(MetadataTokens.MethodImplementationHandle(row)).MethodDeclaration == handle);
    }
}
