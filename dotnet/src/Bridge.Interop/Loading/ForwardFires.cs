using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Bridge.Interop.Surface;

namespace Bridge.Interop;

/// <summary>Turns <c>child.forward(x)</c> into <c>child.call(x)</c> in a compiled assembly, so that the child's hooks fire.</summary>
/// <remarks>
/// <para>C# compiles <c>child.forward(x)</c> to a reference to the abstract method <c>torch.nn.Module&lt;…&gt;.forward</c>, whatever the
/// class of the child. An override is found by its name and signature, not by that reference, and <c>base.forward(x)</c> refers to the
/// base class's method. So renaming that reference (a row of the MemberRef table), before the assembly is loaded, changes
/// only calls and delegates of <c>child.forward</c>.</para>
/// <para>Calls of <c>forward</c> overloads that the user added, and calls by reflection or <c>dynamic</c>, are not changed.</para>
/// </remarks>
internal static class ForwardFires
{
    private const string Forward = "forward";
    private const string Module = "TorchSharp.torch/nn/Module`";

    /// <summary>Renames the references in place.</summary>
    /// <param name="code">The bytes of the assembly.</param>
    /// <exception cref="NotSupportedException">The name of the assembly's file is too short.</exception>
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
        if (name < 0) name = WriteCall(heap, reader);
        var wide = heap.Length > ushort.MaxValue ? 4 : 2;
        var row = reader.GetTableRowSize(TableIndex.MemberRef);
        var column = row - wide - (reader.GetHeapSize(HeapIndex.Blob) > ushort.MaxValue ? 4 : 2);
        var table = start + reader.GetTableMetadataOffset(TableIndex.MemberRef);
        foreach (var handle in rows)
        {
            var offset = table + (MetadataTokens.GetRowNumber(handle) - 1) * row + column;
            for (var i = 0; i < wide; i++) code[offset + i] = (byte)(name >> (8 * i));
        }
    }

    // The heap of strings cannot grow, so "call" overwrites the name of the file, such as "Models.dll", which .NET does not use. No other
    // string has these bytes: strings share bytes only if one is the end of the other, and no identifier ends with ".dll".
    private static int WriteCall(Span<byte> heap, MetadataReader reader)
    {
        var offset = reader.GetHeapOffset(reader.GetModuleDefinition().Name);
        var call = "call\0"u8;
        if (heap[offset..].IndexOf((byte)0) < call.Length)
            throw new NotSupportedException("forward_fires cannot change an assembly whose file name is shorter than five letters.");
        call.CopyTo(heap[offset..]);
        return offset;
    }

    // Excludes references in the MethodImpl table: an override with a covariant return type refers to the method that it overrides.
    private static bool IsForward(MetadataReader reader, MemberReferenceHandle handle)
    {
        var member = reader.GetMemberReference(handle);
        return member.Parent.Kind == HandleKind.TypeSpecification && reader.StringComparer.Equals(member.Name, Forward)
            && reader.GetTypeSpecification((TypeSpecificationHandle)member.Parent)
                .DecodeSignature(SignatureText.Instance, null).StartsWith(Module, StringComparison.Ordinal)
            && !Enumerable.Range(1, reader.GetTableRowCount(TableIndex.MethodImpl))
                .Any(row => reader.GetMethodImplementation(MetadataTokens.MethodImplementationHandle(row)).MethodDeclaration == handle);
    }
}
