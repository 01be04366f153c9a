using Microsoft.CodeAnalysis.Text;

namespace Bridge.TorchSharp.CodeFixes;

/// <summary>Represents a change of a document's text. Edits that are equal are made once.</summary>
internal readonly struct Edit(DocumentId document, TextSpan span, string text) : IEquatable<Edit>
{
    private readonly DocumentId _document = document;
    private readonly TextChange _change = new(span, text);

    public bool Equals(Edit other) => _document == other._document && _change.Equals(other._change);

    public override bool Equals(object? obj) => obj is Edit other && Equals(other);

    public override int GetHashCode() => (_document.GetHashCode() * 397) ^ _change.GetHashCode();

    /// <summary>Returns the solution with the edits. Of edits that overlap, the first is made.</summary>
    internal static async Task<Solution> ApplyAsync(Solution solution, IEnumerable<Edit> edits, CancellationToken cancellation)
    {
        foreach (var group in edits.Distinct().GroupBy(edit => edit._document))
        {
            var document = solution.GetDocument(group.Key)!;
            var text = await document.GetTextAsync(cancellation).ConfigureAwait(false);
            solution = solution.WithDocumentText(group.Key, text.WithChanges(Apart(group.Select(edit => edit._change))));
        }
        return solution;
    }

    private static List<TextChange> Apart(IEnumerable<TextChange> changes)
    {
        var apart = new List<TextChange>();
        foreach (var change in changes.OrderBy(change => change.Span.Start))
        {
            if (apart.Count == 0 || apart[apart.Count - 1].Span.End <= change.Span.Start)
            {
                apart.Add(change);
            }
        }
        return apart;
    }
}
