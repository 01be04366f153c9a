using System.Text.RegularExpressions;

namespace Bridge.Interop.Surface;

/// <summary>Writes the names of types and members, as read from metadata, in C#'s notation.</summary>
internal static class CSharpText
{
    // Not [GeneratedRegex]: its generated type names contain a path, and the assemblies in bridge/_dotnet must not depend on paths.
    private static readonly Regex Arity = new(@"`\d+");
    private static readonly Regex Namespaces = new(@"[A-Za-z_][\w.]*\.(?=[A-Za-z_])");
    private static readonly Regex Parameters = new(@"!+(\d+)");

    /// <summary>Writes a type: <c>TorchSharp.torch/nn/Module`2&lt;!0,!1&gt;</c> becomes <c>torch.nn.Module&lt;T0, T1&gt;</c>.</summary>
    internal static string Type(string name) =>
        Parameters.Replace(Namespaces.Replace(Arity.Replace(name, ""), ""), "T$1")
            .Replace('/', '.').Replace(",", ", ", StringComparison.Ordinal);

    /// <summary>Writes the full name of a user's class or method.</summary>
    internal static string Class(string name) => name.Replace('/', '.');

    /// <summary>Writes a member without its signature, as <c>torch.Tensor.add</c>; a constructor as its class.</summary>
    internal static string Member(string type, string name) => name == ".ctor" ? Type(type) : $"{Type(type)}.{name}";

    /// <summary>
    /// Writes a method as <c>IDisposable torch.no_grad()</c>, a constructor as <c>new T(int)</c>, and a field as <c>int T.size</c>.
    /// </summary>
    internal static string Member(string type, string name, string signature)
    {
        var isStatic = signature.StartsWith("static ", StringComparison.Ordinal);
        var text = isStatic ? signature["static ".Length..] : signature;
        var open = IndexOfParameters(text);
        if (open < 0) return $"{Type(text)} {Type(type)}.{name}";
        var arity = text.LastIndexOf('`') > text.LastIndexOf(')') ? $"<{text[(text.LastIndexOf('`') + 1)..]}>" : "";
        if (name == ".ctor") return $"new {Type(type)}{Type(text[open..])}";
        return $"{Type(text[..open])} {Type(type)}.{name}{arity}{Type(text[open..(text.LastIndexOf(')') + 1)])}";
    }

    // Returns the index of the parenthesis that opens the parameter list, or -1 if the signature has no parameter list. Searches from the
    // end, because the custom modifiers of the return type (modreq) are in parentheses too, before the parameter list.
    private static int IndexOfParameters(string text)
    {
        var depth = 0;
        for (var i = text.Length - 1; i >= 0; i--)
        {
            depth += text[i] switch { ')' => 1, '(' => -1, _ => 0 };
            if (depth == 0 && text[i] == '(') return i;
        }

        return -1;
    }
}
