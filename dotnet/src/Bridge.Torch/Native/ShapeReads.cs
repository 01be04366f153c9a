using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch.Native;

/// <summary>
/// The elements of <c>shape</c> that a model's C# code reads, if it indexes every <c>shape</c> directly by a constant (<c>x.shape[1]</c>,
/// <c>x.shape[^1]</c>).
/// </summary>
/// <remarks>
/// <c>torch.export</c> turns each size that C# reads into a constant. If <c>x.shape[1]</c> read all sizes, the batch size would become a
/// constant, too. The JIT compiler may have inlined the method that reads <c>shape</c>, and then the stack does not show that method. So
/// all methods of the caller's assembly count, and so do those of every model assembly that is connected with the caller's assembly by
/// references, directly or indirectly.
/// </remarks>
internal static class ShapeReads
{
    private static readonly ConditionalWeakTable<Assembly, StrongBox<int[]?>> Known = [];
    private static readonly Dictionary<short, OpCode> Codes = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value);

    /// <summary>
    /// Returns the indices that the caller of <c>shape</c> may read, negative ones from the end; null if it may read any.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int[]? OfCaller()
    {
        var caller = new StackTrace(1).GetFrames().Select(frame => frame.GetMethod())
            .FirstOrDefault(method => method?.DeclaringType != typeof(torch.Tensor));
        if (caller?.DeclaringType?.Assembly is not { IsDynamic: false } assembly || !IsModelAssembly(assembly)) return null;
        var others = AppDomain.CurrentDomain.GetAssemblies().Where(IsModelAssembly).ToArray();
        HashSet<Assembly> near = [assembly];
        for (var count = 0; count != near.Count;)
        {
            count = near.Count;
            foreach (var other in others)
                if (near.Any(known => Refers(known, other) || Refers(other, known))) near.Add(other);
        }

        var found = near.Select(known => Known.GetValue(known, static assembly => new(FindIndices(assembly))).Value).ToArray();
        return found.Any(read => read is null) ? null : found.SelectMany(read => read!).Distinct().ToArray() is { Length: > 0 } indices
            ? indices : null;
    }

    /// <summary>
    /// Returns whether the assembly may contain a model: it refers to TorchSharp or Bridge.Torch, and is not dynamic, not ours and
    /// not TorchSharp.
    /// </summary>
    internal static bool IsModelAssembly(Assembly assembly) =>
        !assembly.IsDynamic && !Origin.IsOurs(assembly) && assembly.GetName().Name != "TorchSharp"
        && assembly.GetReferencedAssemblies().Any(reference => reference.Name is "TorchSharp" or "Bridge.Torch");

    private static bool Refers(Assembly assembly, Assembly other)
    {
        var name = other.GetName().Name;
        return assembly.GetReferencedAssemblies().Any(reference => reference.Name == name);
    }

    private static int[]? FindIndices(Assembly assembly)
    {
        const BindingFlags own =
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        HashSet<int> indices = [];
        try
        {
            foreach (var type in assembly.GetTypes())
                foreach (var method in type.GetMethods(own).Concat<MethodBase>(type.GetConstructors(own)))
                    if (MethodCode.Of(method) is { } code && !Read(method, code, indices)) return null;
        }
        catch (Exception error)
            when (error is ReflectionTypeLoadException or TypeLoadException or IOException or BadImageFormatException or ArgumentException
                or MissingMemberException)
        {
            return null; // code that cannot be read may read any index
        }

        return [.. indices];
    }

    // Adds the indices that the method reads. Returns false if the method uses a shape in any other way.
    private static bool Read(MethodBase method, byte[] code, HashSet<int> indices)
    {
        var instructions = Instructions(code).ToArray();
        for (var at = 0; at < instructions.Length; at++)
        {
            var (operation, operand) = instructions[at];
            if (operation.OperandType is not (OperandType.InlineMethod or OperandType.InlineTok)
                || !IsShape(method, BitConverter.ToInt32(code, operand)))
                continue;
            if (operation != OpCodes.Call && operation != OpCodes.Callvirt) return false;
            var next = instructions[(at + 1)..Math.Min(at + 7, instructions.Length)];
            if (next.Length >= 2 && Constant(next[0], code) is { } index && next[1].Code == OpCodes.Ldelem_I8) indices.Add(index);
            else if (next.Length == 6 && next[0].Code == OpCodes.Dup && next[1].Code == OpCodes.Ldlen && next[2].Code == OpCodes.Conv_I4
                && Constant(next[3], code) is { } back && next[4].Code == OpCodes.Sub
                    && next[5].Code == OpCodes.Ldelem_I8) indices.Add(-back);
            else return false;
        }

        return true;
    }

    private static bool IsShape(MethodBase method, int token)
    {
        // Tokens other than those of methods are left out: ldtoken also takes types and fields.
        if (token >> 24 is not (0x06 or 0x0A or 0x2B)) return false;
        var arguments = method.DeclaringType is { IsGenericType: true } type ? type.GetGenericArguments() : null;
        return method.Module.ResolveMember(token, arguments, method.IsGenericMethod
            ? method.GetGenericArguments() : null) is MethodBase { Name: "get_shape" } found
            && found.DeclaringType == typeof(torch.Tensor);
    }

    private static int? Constant((OpCode Code, int Operand) instruction, byte[] code) => instruction.Code.Value switch
    {
        >= 0x16 and <= 0x1E => instruction.Code.Value - 0x16, // ldc.i4.0 to ldc.i4.8
        0x1F => (sbyte)code[instruction.Operand],
        0x20 => BitConverter.ToInt32(code, instruction.Operand),
        _ => null,
    };

    internal static IEnumerable<(OpCode Code, int Operand)> Instructions(byte[] code)
    {
        for (var at = 0; at < code.Length;)
        {
            var operation = Codes[code[at] == 0xFE ? (short)(0xFE00 | code[at + 1]) : code[at]];
            at += operation.Size;
            yield return (operation, at);
            at += operation.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(code, at),
                _ => 4,
            };
        }
    }
}
