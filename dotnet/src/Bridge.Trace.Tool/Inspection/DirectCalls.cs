using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Bridge.Trace.Tool.Inspection;

/// <summary>
/// Finds the calls of <c>forward()</c> in the compiled methods of an assembly. A module that is run by <c>forward()</c> instead of
/// <c>call()</c> fires no hooks (clause C-3 in docs/contract.md).
/// </summary>
internal static class DirectCalls
{
    private const int Listed = 5;

    // By opcode, the number of bytes of the operand; of a switch, that of the count before the targets.
    private static readonly Dictionary<int, OperandType> Operands = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => (ushort)code.Value + 0, code => code.OperandType);

    internal static Check Check(string path)
    {
        const string Name = "forward()";
        List<string> found = [.. Find(path)];
        if (found.Count == 0) return new(CheckState.Ok, Name, "no method calls the forward() of a TorchSharp module");
        var methods = found.Distinct().ToList();
        var more = methods.Count > Listed ? $" and {methods.Count - Listed} more methods" : "";
        var text = $"{found.Count} call{(found.Count == 1 ? "" : "s")} of forward(), which fire{(found.Count == 1 ? "s" : "")} no hooks: "
            + $"in {string.Join(", ", methods.Take(Listed))}{more}";
        return new(CheckState.Note, Name, text, "Write module.call(x) instead of module.forward(x).");
    }

    /// <summary>Returns, for each call of a TorchSharp module's <c>forward</c>, the class and method that has the call.</summary>
    internal static IEnumerable<string> Find(string path)
    {
        using var image = Open(path);
        if (image is null) return [];
        var reader = image.GetMetadataReader();
        var targets = Targets(reader);
        List<string> found = [];
        if (targets.Count == 0) return found;
        foreach (var handle in reader.MethodDefinitions)
        {
            var method = reader.GetMethodDefinition(handle);
            if (method.RelativeVirtualAddress == 0) continue;
            var code = image.GetMethodBody(method.RelativeVirtualAddress).GetILReader();
            var count = Called(code).Count(targets.Contains);
            var owner = reader.GetTypeDefinition(method.GetDeclaringType());
            found.AddRange(Enumerable.Repeat($"{reader.GetString(owner.Name)}.{reader.GetString(method.Name)}", count));
        }

        return found;
    }

    private static PEReader? Open(string path)
    {
        try
        {
            var image = new PEReader(new MemoryStream(File.ReadAllBytes(path)));
            return image.HasMetadata ? image : null;
        }
        catch (BadImageFormatException)
        {
            return null;
        }
    }

    // The tokens of `forward` of a class of TorchSharp, and of specializations of its generic classes.
    private static HashSet<int> Targets(MetadataReader reader)
    {
        var found = new HashSet<int>();
        foreach (var handle in reader.MemberReferences)
        {
            var member = reader.GetMemberReference(handle);
            if (reader.StringComparer.Equals(member.Name, "forward") && IsOfTorchSharp(reader, member.Parent))
                found.Add(MetadataTokens.GetToken(handle));
        }

        return found;
    }

    private static bool IsOfTorchSharp(MetadataReader reader, EntityHandle type)
    {
        if (type.Kind == HandleKind.TypeSpecification)
        {
            // GENERICINST, CLASS, then the generic type.
            var blob = reader.GetBlobReader(reader.GetTypeSpecification((TypeSpecificationHandle)type).Signature);
            if (blob.Length < 3 || blob.ReadByte() != (byte)SignatureTypeCode.GenericTypeInstance) return false;
            blob.ReadByte();
            type = blob.ReadTypeHandle();
        }

        while (type.Kind == HandleKind.TypeReference)
        {
            var scope = reader.GetTypeReference((TypeReferenceHandle)type).ResolutionScope;
            if (scope.Kind != HandleKind.AssemblyReference)
            {
                type = scope;
                continue;
            }

            var assembly = reader.GetAssemblyReference((AssemblyReferenceHandle)scope).Name;
            return reader.StringComparer.Equals(assembly, "TorchSharp");
        }

        return false;
    }

    // The tokens of the methods that the code calls.
    private static IEnumerable<int> Called(BlobReader code)
    {
        List<int> called = [];
        while (code.RemainingBytes > 0)
        {
            int value = code.ReadByte();
            if (value == 0xFE) value = 0xFE00 | code.ReadByte();
            switch (Operands[value])
            {
                case OperandType.InlineMethod:
                    var token = code.ReadInt32();
                    // A call by `base.forward(x)` is not virtual.
                    if (value == OpCodes.Callvirt.Value) called.Add(token);
                    break;
                case OperandType.InlineSwitch:
                    code.Offset += 4 * code.ReadInt32();
                    break;
                case var operand:
                    code.Offset += Size(operand);
                    break;
            }
        }

        return called;
    }

    private static int Size(OperandType operand) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        _ => 4,
    };
}
