using System.Reflection;
using System.Reflection.Emit;

namespace Bridge.Torch;

/// <summary>Analysis of a hook's compiled code.</summary>
/// <remarks>
/// .NET has no reference counts, which would tell whether a hook has kept the tensors that it got. So only the garbage collector can free
/// these tensors. A hook whose code loads neither the arguments nor the result, such as a hook that counts or times calls, cannot keep
/// their tensors, which are freed as if there were no hook.
/// </remarks>
internal static class HookCode
{
    private const int Prefix = 0xFE;

    // The operand size in bytes, by opcode; two-byte opcodes start at index 256.
    private static readonly int[] Sizes = Operands();

    /// <summary>Returns whether the hook's code uses any parameter after the first, which is the module.</summary>
    /// <param name="hook">The user's delegate.</param>
    /// <returns>True also if the code cannot be read: for a combined delegate, and for code generated at run time.</returns>
    internal static bool ReadsValues(Delegate hook)
    {
        var method = hook.Method;
        if (hook.GetInvocationList().Length > 1 || MethodCode.Of(method) is not { } code) return true;
        var values = hook.GetType().GetMethod("Invoke")!.GetParameters().Length - 1;
        // An instance or closure, if any, and the module precede the values.
        return Loads(code, method.GetParameters().Length + (method.IsStatic ? 0 : 1) - values);
    }

    // Returns whether an instruction accesses the argument of index `first` or a later one.
    private static bool Loads(ReadOnlySpan<byte> code, int first)
    {
        for (var at = 0; at < code.Length;)
        {
            int name = code[at++];
            if (name == Prefix) name = 256 + code[at++];
            var argument = name switch
            {
                >= 0x02 and <= 0x05 => name - 0x02, // ldarg.0 to ldarg.3
                0x0E or 0x0F or 0x10 => code[at], // ldarg.s, ldarga.s, starg.s
                256 + 0x09 or 256 + 0x0A or 256 + 0x0B => BitConverter.ToUInt16(code[at..]), // ldarg, ldarga, starg
                0x27 or 256 + 0x00 => int.MaxValue, // jmp, arglist: all arguments
                _ => -1,
            };
            if (argument >= first) return true;
            at += name == OpCodes.Switch.Value ? 4 + 4 * BitConverter.ToInt32(code[at..]) : Sizes[name];
        }

        return false;
    }

    private static int[] Operands()
    {
        var sizes = new int[512];
        foreach (var field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var code = (OpCode)field.GetValue(null)!;
            sizes[(code.Size == 1 ? 0 : 256) + (code.Value & 0xFF)] = code.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                _ => 4,
            };
        }

        return sizes;
    }
}
