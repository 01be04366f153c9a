namespace Bridge.Torch;

/// <summary>Writes types as C# code does: without namespaces, with C#'s keywords and tuples, and a dot before a nested type.</summary>
/// <remarks>
/// Types nested in TorchSharp's classes <c>torch</c> and <c>torch.nn</c> are written without these, as in code that has
/// <c>using static</c> for both: <c>Tensor</c>, <c>Module&lt;Tensor, Tensor&gt;</c>, <c>optim.Optimizer</c>.
/// </remarks>
internal static class CSharpTypeName
{
    private const int TupleRest = 8;

    private static readonly Dictionary<string, string> Keywords = new()
    {
        ["System.Void"] = "void",
        ["System.Object"] = "object",
        ["System.String"] = "string",
        ["System.Boolean"] = "bool",
        ["System.Char"] = "char",
        ["System.SByte"] = "sbyte",
        ["System.Byte"] = "byte",
        ["System.Int16"] = "short",
        ["System.UInt16"] = "ushort",
        ["System.Int32"] = "int",
        ["System.UInt32"] = "uint",
        ["System.Int64"] = "long",
        ["System.UInt64"] = "ulong",
        ["System.IntPtr"] = "nint",
        ["System.UIntPtr"] = "nuint",
        ["System.Single"] = "float",
        ["System.Double"] = "double",
        ["System.Decimal"] = "decimal",
    };

    /// <summary>Returns the name of a type: <c>List&lt;(int, string)&gt;</c>, <c>int?</c>, <c>float[]</c>, <c>Outer.Inner</c>.</summary>
    internal static string Of(Type type)
    {
        if (type.IsByRef) return $"ref {Of(type.GetElementType()!)}";
        if (type.IsPointer) return $"{Of(type.GetElementType()!)}*";
        if (type.IsArray) return Array(Of(type.GetElementType()!), type.GetArrayRank());
        if (type.IsGenericParameter) return type.Name;
        var open = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
        return Named(open.FullName ?? open.Name, type.GetGenericArguments().Select(Of).ToArray());
    }

    /// <summary>Returns the name of an array type. C# writes the ranks of an array of arrays from the outside inwards.</summary>
    internal static string Array(string element, int rank)
    {
        var end = element.TrimEnd('[', ',', ']').Length;
        return $"{element[..end]}[{new string(',', rank - 1)}]{element[end..]}";
    }

    /// <summary>Returns the name of a type that is neither an array, a pointer nor a reference.</summary>
    /// <param name="name">The full name without type arguments, with '+' or '/' before a nested type.</param>
    /// <param name="arguments">The type arguments as C# writes them, those of the enclosing types first.</param>
    internal static string Named(string name, string[] arguments)
    {
        if (Keywords.TryGetValue(name, out var keyword)) return keyword;
        if (name == "System.Nullable`1") return $"{arguments[0]}?";
        if (name.StartsWith("System.ValueTuple`", StringComparison.Ordinal) && arguments.Length > 1) return Tuple(arguments);
        var used = 0;
        var parts = name.Split('+', '/').Select(part => Part(part, arguments, ref used)).ToArray();
        parts[0] = parts[0][(parts[0].Split('<')[0].LastIndexOf('.') + 1)..];
        var outer = !name.StartsWith("TorchSharp.torch", StringComparison.Ordinal) || parts.Length == 1 || parts[0] != "torch" ? 0
            : parts.Length > 2 && parts[1] == "nn" ? 2 : 1;
        return string.Join('.', parts[outer..]);
    }

    // A tuple of more than seven items has a tuple of the rest as its eighth type argument.
    private static string Tuple(string[] items)
    {
        var rest = items.Length == TupleRest ? items[^1] : "";
        var isWritten = rest.StartsWith('(');
        const string one = "ValueTuple<";
        if (!isWritten && !rest.StartsWith(one, StringComparison.Ordinal)) return $"({string.Join(", ", items)})";
        return $"({string.Join(", ", items[..^1])}, {rest[(isWritten ? 1 : one.Length)..^1]})";
    }

    private static string Part(string part, string[] arguments, ref int used)
    {
        var tick = part.IndexOf('`', StringComparison.Ordinal);
        if (tick < 0) return part;
        var count = int.Parse(part[(tick + 1)..], System.Globalization.CultureInfo.InvariantCulture);
        // If no type arguments are given, a generic type is written by its name alone.
        var own = arguments.Skip(used).Take(count).ToArray();
        used += count;
        return own.Length == 0 ? part[..tick] : $"{part[..tick]}<{string.Join(", ", own)}>";
    }
}
