using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Writes a statement at the end of a constructor.</summary>
internal static class ConstructorText
{
    private const string Register = "RegisterComponents();";

    /// <summary>Returns the edit that adds a call of <c>RegisterComponents</c> at the end of the constructor.</summary>
    internal static Edit? Append(Document document, SourceText text, ConstructorDeclarationSyntax constructor)
    {
        var line = text.Lines.GetLineFromPosition(constructor.SpanStart);
        var outer = Indentation(line);
        var end = Break(text, line);
        if (constructor.ExpressionBody is { } arrow)
        {
            var start = arrow.GetFirstToken().GetPreviousToken().Span.End;
            var inner = $"{outer}    ";
            var block = $"{end}{outer}{{{end}{inner}{arrow.Expression};{end}{inner}{Register}{end}{outer}}}";
            return new Edit(document.Id, TextSpan.FromBounds(start, constructor.Span.End), block);
        }
        if (constructor.Body is not { } body)
        {
            return null;
        }
        var brace = body.CloseBraceToken;
        var last = text.Lines.GetLineFromPosition(brace.SpanStart);
        if (brace.GetPreviousToken().Span.End >= last.Start)
        {
            return new Edit(document.Id, TextSpan.FromBounds(brace.GetPreviousToken().Span.End, brace.SpanStart), $" {Register} ");
        }
        var indentation = body.Statements.Count > 0
            ? Indentation(text.Lines.GetLineFromPosition(body.Statements.Last().SpanStart))
            : $"{Indentation(last)}    ";
        return new Edit(document.Id, new TextSpan(last.Start, 0), $"{indentation}{Register}{end}");
    }

    /// <summary>Returns the edit that removes a statement, with its line if nothing else is on it.</summary>
    internal static Edit Remove(Document document, SourceText text, StatementSyntax statement)
    {
        var line = text.Lines.GetLineFromPosition(statement.SpanStart);
        var isAlone = string.IsNullOrWhiteSpace(text.ToString(TextSpan.FromBounds(line.Start, statement.SpanStart)))
            && string.IsNullOrWhiteSpace(text.ToString(TextSpan.FromBounds(statement.Span.End, line.End)));
        return new Edit(document.Id, isAlone ? line.SpanIncludingLineBreak : statement.FullSpan, "");
    }

    private static string Indentation(TextLine line) => new([.. line.ToString().TakeWhile(char.IsWhiteSpace)]);

    private static string Break(SourceText text, TextLine line)
    {
        var found = text.ToString(TextSpan.FromBounds(line.End, line.EndIncludingLineBreak));
        return found.Length == 0 ? "\n" : found;
    }
}
