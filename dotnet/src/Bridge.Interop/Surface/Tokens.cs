using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>The members and types that a method's body names.</summary>
internal static class Tokens
{
    // What follows an instruction of that number: so many bytes, t a token, s a switch; - is no instruction. Written out, since reading .NET's own table
    // (System.Reflection.Emit.OpCodes) by reflection takes longer than all else of a check.
    private const string Short =
        "000000000000001111110000000000014848-00tt40111111111111144444444" +
        "44444s00000000000000000000000000000000000000000ttt4ttt0--t0ttttt" +
        "tt0000000000tt0t0000000000000000000ttt-------------00000000-----" +
        "--t0--t---------t0000000000004100-----------------------00000000";

    // Those that begin with 0xFE.
    private const string Long = "000000tt-2222220-0100tt00-0-t00-";

    /// <summary>Adds what the instructions refer to, in order; of what is no instruction the rest is left out.</summary>
    internal static void Add(MethodBodyBlock body, List<int> tokens)
    {
        var code = body.GetILBytes() ?? [];
        for (var place = 0; place < code.Length;)
        {
            var kind = Kind(code, ref place);
            switch (kind)
            {
                case '-': return;
                case 't':
                    if (place + 4 > code.Length) return;
                    tokens.Add(BitConverter.ToInt32(code, place));
                    place += 4;
                    break;
                case 's':
                    if (place + 4 > code.Length) return;
                    place += checked(4 + 4 * BitConverter.ToInt32(code, place));
                    break;
                default:
                    place += kind - '0';
                    break;
            }
        }
    }

    /// <summary>What follows the instruction at a place, which is left behind.</summary>
    internal static char Kind(byte[] code, ref int place)
    {
        var value = code[place++];
        if (value != 0xFE || place == code.Length) return Short[value];
        value = code[place++];
        return value < Long.Length ? Long[value] : '-';
    }
}
