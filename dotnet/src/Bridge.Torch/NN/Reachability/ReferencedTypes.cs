using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Bridge.Torch.Native;

namespace Bridge.Torch;

/// <summary>The types that the code of given types refers to, transitively.</summary>
internal static class ReferencedTypes
{
    private const BindingFlags Own =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly ConditionalWeakTable<Type, Type[]> Known = [];

    /// <summary>
    /// Returns the given types, their base types and the types that their code refers to, transitively. Types outside users' assemblies are
    /// left out. A generic type is returned as its definition; its type arguments are not followed.
    /// </summary>
    internal static IReadOnlySet<Type> Of(IEnumerable<Type> types)
    {
        var found = new HashSet<Type>();
        var waiting = new Stack<Type>(types.Select(Definition));
        while (waiting.TryPop(out var type))
            if (!ObjectGraph.IsForeign(type.Assembly) && found.Add(type))
                foreach (var other in Known.GetValue(type, FindReferenced)) waiting.Push(other);
        return found;
    }

    private static Type Definition(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;

    private static Type[] FindReferenced(Type type)
    {
        var found = new HashSet<Type>();
        if (type.BaseType is { } parent) found.Add(Definition(parent));
        foreach (var method in type.GetMethods(Own).Concat<MethodBase>(type.GetConstructors(Own)))
            if (MethodCode.Of(method) is { } code)
                foreach (var (operation, operand) in ShapeReads.Instructions(code))
                    if (operation.OperandType is OperandType.InlineMethod or OperandType.InlineField or OperandType.InlineType
                        or OperandType.InlineTok
                        && Resolve(method, BitConverter.ToInt32(code, operand)) is { } named) found.Add(Definition(named));
        return [.. found];
    }

    // Returns null for a member that cannot be loaded: it cannot have been used.
    private static Type? Resolve(MethodBase method, int token)
    {
        try
        {
            var member = method.Module.ResolveMember(token, method.DeclaringType!.GetGenericArguments(), method.IsGenericMethod
                ? method.GetGenericArguments() : null);
            return member as Type ?? member?.DeclaringType;
        }
        catch (Exception error)
            when (error is IOException or TypeLoadException or BadImageFormatException or MissingMemberException or ArgumentException)
        {
            return null;
        }
    }
}
