using Microsoft.CodeAnalysis.Text;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Returns <c>alias()</c> of the input, an object of its own that shares the elements.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(SequentialInputFix)), Shared]
internal sealed class SequentialInputFix() : EditingFix(Rules.Input, "Return 'alias()' of the input")
{
    internal override Task<IReadOnlyList<Edit>> EditsAsync(Document document, Diagnostic diagnostic, CancellationToken cancellation)
    {
        var edits = from place in diagnostic.AdditionalLocations
                    let found = document.Project.Solution.GetDocument(place.SourceTree)
                    where found is not null
                    select new Edit(found.Id, new TextSpan(place.SourceSpan.End, 0), ".alias()");
        return Task.FromResult<IReadOnlyList<Edit>>(edits.ToList());
    }
}
