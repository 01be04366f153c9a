using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Bridge.Interop.Surface;

/// <summary>The members and types that a method's body names.</summary>
internal static class Tokens
{
    private static readonly Dictionary<ushort, OperandType> Operands = typeof(OpCodes).GetFields()
        .Where(field => field.FieldType == typeof(OpCode)).Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => (ushort)code.Value, code => code.OperandType);

    /// <summary>What the instructions refer to, in order; of what is no instruction the rest is left out.</summary>
    internal static IEnumerable<EntityHandle> Of(MethodBodyBlock body)
    {
        var code = body.GetILBytes() ?? [];
        for (var place = 0; place < code.Length;)
        {
            ushort value = code[place++];
            if (value == 0xFE && place < code.Length) value = (ushort)(value << 8 | code[place++]);
            if (!Operands.TryGetValue(value, out var operand)) yield break;
            if (operand is OperandType.InlineMethod or OperandType.InlineField or OperandType.InlineType or OperandType.InlineTok)
                yield return (EntityHandle)MetadataTokens.Handle(BitConverter.ToInt32(code, place));
            place += operand switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(code, place),
                _ => 4,
            };
        }
    }
}
