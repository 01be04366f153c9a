using System.Text.RegularExpressions;

namespace Bridge.Interop.Surface;

/// <summary>Types and members as a reader of C# knows them.</summary>
internal static class Pretty
{
    // No source generator writes these: the compiler puts the path of a generated file into the names of its types, and
    // bridge/_dotnet must be the same bytes from every folder.
    private static readonly Regex Arity = new(@"`\d+");
    private static readonly Regex Namespaces = new(@"[A-Za-z_][\w.]*\.(?=[A-Za-z_])");
    private static readonly Regex Parameters = new(@"!+(\d+)");

    /// <summary><c>TorchSharp.torch/nn/Module`2&lt;!0,!1&gt;</c> as <c>torch.nn.Module&lt;T0, T1&gt;</c>.</summary>
    internal static string Type(string name) =>
        Parameters.Replace(Namespaces.Replace(Arity.Replace(name, ""), ""), "T$1").Replace('/', '.').Replace(",", ", ", StringComparison.Ordinal);

    /// <summary>A class of the user's, as <c>bridge.load</c> takes it.</summary>
    internal static string Class(string name) => name.Replace('/', '+');

    /// <summary><c>IDisposable torch.no_grad()</c>, or a field.</summary>
    internal static string Member(string type, string name, string signature)
    {
        var isStatic = signature.StartsWith("static ", StringComparison.Ordinal);
        var text = isStatic ? signature["static ".Length..] : signature;
        var open = Opening(text);
        if (open < 0) return $"{Type(text)} {Type(type)}.{name}";
        var arity = text.LastIndexOf('`') > text.LastIndexOf(')') ? $"<{text[(text.LastIndexOf('`') + 1)..]}>" : "";
        return name == ".ctor" ? $"new {Type(type)}{Type(text[open..])}" : $"{Type(text[..open])} {Type(type)}.{name}{arity}{Type(text[open..(text.LastIndexOf(')') + 1)])}";
    }

    // Of a method's parameters: behind the result, which may have brackets in its own modifiers.
    private static int Opening(string text)
    {
        var depth = 0;
        for (var place = text.Length - 1; place >= 0; place--)
        {
            depth += text[place] switch { ')' => 1, '(' => -1, _ => 0 };
            if (depth == 0 && text[place] == '(') return place;
        }

        return -1;
    }
}
