using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>Reads the metadata tokens of types and members in the instructions of a method.</summary>
internal static class InstructionTokens
{
    // A character for the operand of each opcode:
    // 0 to 8: an operand of this size in bytes, which is skipped; the tokens of ldstr and calli, which name no type or member, are skipped
    // in this way too
    // t: the metadata token of a type or member
    // s: a switch table
    // -: no such opcode
    // Reading .NET's own table (System.Reflection.Emit.OpCodes) by reflection would be slow.
    private const string Short =
        "000000000000001111110000000000014848-00tt40111111111111144444444" +
        "44444s00000000000000000000000000000000000000000ttt4ttt0--t0ttttt" +
        "tt0000000000tt0t0000000000000000000ttt-------------00000000-----" +
        "--t0--t---------t0000000000004100-----------------------00000000";

    // The opcodes that begin with 0xFE.
    private const string Long = "000000tt-2222220-0100tt00-0-t00-";

    /// <summary>
    /// Adds the tokens of the instructions, in order. Stops at a byte that is no opcode and at a truncated operand. Does not
    /// check the lengths of switch tables.
    /// </summary>
    internal static void Add(MethodBodyBlock body, List<int> tokens)
    {
        var code = body.GetILBytes() ?? [];
        for (var offset = 0; offset < code.Length;)
        {
            var kind = ReadOperandKind(code, ref offset);
            switch (kind)
            {
                case '-': return;
                case 't':
                    if (offset + 4 > code.Length) return;
                    tokens.Add(BitConverter.ToInt32(code, offset));
                    offset += 4;
                    break;
                case 's':
                    if (offset + 4 > code.Length) return;
                    offset += checked(4 + 4 * BitConverter.ToInt32(code, offset));
                    break;
                default:
                    offset += kind - '0';
                    break;
            }
        }
    }

    private static char ReadOperandKind(byte[] code, ref int offset)
    {
        var value = code[offset++];
        if (value != 0xFE || offset == code.Length) return Short[value];
        value = code[offset++];
        return value < Long.Length ? Long[value] : '-';
    }
}
