using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;
using Bridge.Interop.Surface;

namespace Bridge.Interop;

/// <summary>Has the methods of a model that work on tensors compiled with optimizations from their first call on.</summary>
/// <remarks>
/// .NET compiles a method quickly first, and well once it was called thirty times. Quick code keeps whatever a method has made until that method
/// ends; of optimized code the collector knows what is still needed, and large tensors that are not can be freed (<c>LargeTensors</c>). So such methods get
/// the flag <see cref="MethodImplOptions.AggressiveOptimization"/>, in the bytes, before the assembly is loaded. Debug builds are compiled as they ask.
/// Optimized code knows its lines only roughly: where a comparison is to name them, these methods get <see cref="MethodImplOptions.NoOptimization"/>.
/// </remarks>
internal static class Optimized
{
    private const string Tensor = "TorchSharp.torch/Tensor";

    /// <summary>Sets the flags in place.</summary>
    /// <param name="code">The assembly.</param>
    /// <param name="lines">The lines of what runs are to be known exactly.</param>
    internal static void Rewrite(byte[] code, bool lines)
    {
        using var image = new PEReader(new MemoryStream(code));
        if (!image.HasMetadata) return;
        var reader = image.GetMetadataReader();
        var row = reader.GetTableRowSize(TableIndex.MethodDef);
        var table = image.PEHeaders.MetadataStartOffset + reader.GetTableMetadataOffset(TableIndex.MethodDef);
        // Equal signatures are one blob.
        var known = new Dictionary<BlobHandle, bool>();
        foreach (var handle in reader.MethodDefinitions)
        {
            var method = reader.GetMethodDefinition(handle);
            const MethodImplAttributes Other = MethodImplAttributes.CodeTypeMask | MethodImplAttributes.NoOptimization | MethodImplAttributes.AggressiveInlining;
            if (method.RelativeVirtualAddress == 0 || (method.ImplAttributes & Other) != 0) continue;
            if (!known.TryGetValue(method.Signature, out var works)) known[method.Signature] = works = HasTensor(reader, method);
            // The flags follow the four bytes of the address.
            if (!works) continue;
            var flags = table + (MetadataTokens.GetRowNumber(handle) - 1) * row + 4;
            if (lines) code[flags] |= (int)MethodImplOptions.NoOptimization;
            else code[flags + 1] |= (int)MethodImplOptions.AggressiveOptimization >> 8;
        }
    }

    private static bool HasTensor(MetadataReader reader, MethodDefinition method)
    {
        var signature = method.DecodeSignature(SignatureText.Instance, null);
        return signature.ReturnType.Contains(Tensor, StringComparison.Ordinal) || signature.ParameterTypes.Any(type => type.Contains(Tensor, StringComparison.Ordinal));
    }
}
