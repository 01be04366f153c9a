using System.Reflection;
using System.Reflection.Emit;

namespace Bridge.Torch;

/// <summary>What the compiled code of a hook shows about it.</summary>
/// <remarks>
/// .NET counts no references: what a hook was given may be kept by it, so that only the collector can free it. But a hook whose code never loads the
/// arguments and the result (one that counts, names or times calls) cannot keep them, and what they were is freed as if nobody had listened.
/// </remarks>
internal static class HookCode
{
    private const int Prefix = 0xFE;

    // How many bytes follow an instruction, by its code; those of two bytes behind the others.
    private static readonly int[] Sizes = Operands();

    /// <summary>Whether the hook's code loads what it is given besides the module, which comes first.</summary>
    /// <param name="hook">The user's delegate.</param>
    /// <returns>True also where nobody can tell: of several delegates in one, and of code that was made at run time.</returns>
    internal static bool ReadsValues(Delegate hook)
    {
        var method = hook.Method;
        if (hook.GetInvocationList().Length > 1 || Code(method) is not { } code) return true;
        var values = hook.GetType().GetMethod("Invoke")!.GetParameters().Length - 1;
        // What comes before the values: the object or the closure, and the module.
        return Loads(code, method.GetParameters().Length + (method.IsStatic ? 0 : 1) - values);
    }

    private static byte[]? Code(MethodInfo method)
    {
        try
        {
            return method.GetMethodBody()?.GetILAsByteArray();
        }
        catch (Exception exception) when (exception is InvalidOperationException or NotSupportedException)
        {
            return null; // made at run time
        }
    }

    // Whether an instruction has to do with the argument of that number, or a later one.
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
                0x27 or 256 + 0x00 => int.MaxValue, // jmp, arglist: all of them
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
