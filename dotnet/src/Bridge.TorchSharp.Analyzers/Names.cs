using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Finds the names to report, and their text in messages.</summary>
internal static class Names
{
    private const int Longest = 40;

    /// <summary>Returns the last name of a member access.</summary>
    internal static SimpleNameSyntax? Of(SyntaxNode function) => function switch
    {
        MemberAccessExpressionSyntax access => access.Name,
        MemberBindingExpressionSyntax binding => binding.Name,
        SimpleNameSyntax simple => simple,
        _ => null,
    };

    /// <summary>Returns the value as it is written, or its type if that is long.</summary>
    internal static string Shown(IOperation value)
    {
        var text = value.Syntax.ToString();
        return text.Length <= Longest && text.IndexOf('\n') < 0 ? text : Shown(value.Type);
    }

    /// <summary>Returns the name of the type with its type arguments.</summary>
    internal static string Shown(ITypeSymbol? type) => type?.ToDisplayString(SymbolDisplayFormat.CSharpShortErrorMessageFormat) ?? "?";
}
