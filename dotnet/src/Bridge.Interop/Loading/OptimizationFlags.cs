using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;
using Bridge.Interop.Surface;

namespace Bridge.Interop;

/// <summary>Sets flags in an assembly that tell the JIT how to optimize methods with tensors in their signature.</summary>
/// <remarks>
/// .NET first compiles a method without optimizations. Unoptimized code keeps each local variable alive until the method ends, even a large
/// tensor that could be freed earlier. So methods with tensors in their signature get the flag
/// <see cref="MethodImplOptions.AggressiveOptimization"/> before the assembly is loaded. Debug builds stay unoptimized, as their attributes
/// demand. Optimized code has only approximate line numbers: if exact line numbers are needed, the methods get
/// <see cref="MethodImplOptions.NoOptimization"/>.
/// </remarks>
internal static class OptimizationFlags
{
    private const string Tensor = "TorchSharp.torch/Tensor";

    /// <summary>
    /// Sets the flags in place, except for methods that have <see cref="MethodImplOptions.NoOptimization"/> or
    /// <see cref="MethodImplOptions.AggressiveInlining"/>.
    /// </summary>
    /// <param name="code">The bytes of the assembly.</param>
    /// <param name="lines">Whether to keep exact line numbers in stack traces.</param>
    internal static void Set(byte[] code, bool lines)
    {
        using var image = new PEReader(new MemoryStream(code));
        if (!image.HasMetadata) return;
        var reader = image.GetMetadataReader();
        var row = reader.GetTableRowSize(TableIndex.MethodDef);
        var table = image.PEHeaders.MetadataStartOffset + reader.GetTableMetadataOffset(TableIndex.MethodDef);
        // Keeps the answer for each signature, since methods with equal signatures share a blob.
        var hasTensor = new Dictionary<BlobHandle, bool>();
        foreach (var handle in reader.MethodDefinitions)
        {
            var method = reader.GetMethodDefinition(handle);
            const MethodImplAttributes excluded =
                MethodImplAttributes.CodeTypeMask | MethodImplAttributes.NoOptimization | MethodImplAttributes.AggressiveInlining;
            if (method.RelativeVirtualAddress == 0 || (method.ImplAttributes & excluded) != 0) continue;
            if (!hasTensor.TryGetValue(method.Signature, out var has)) hasTensor[method.Signature] = has = HasTensor(reader, method);
            if (!has) continue;
            // The flags follow the four bytes of the RVA.
            var flags = table + (MetadataTokens.GetRowNumber(handle) - 1) * row + 4;
            if (lines) code[flags] |= (int)MethodImplOptions.NoOptimization;
            else code[flags + 1] |= (int)MethodImplOptions.AggressiveOptimization >> 8;
        }
    }

    private static bool HasTensor(MetadataReader reader, MethodDefinition method)
    {
        var signature = method.DecodeSignature(SignatureText.Instance, null);
        return signature.ParameterTypes.Add(signature.ReturnType).Any(type => type.Contains(Tensor, StringComparison.Ordinal));
    }
}
