namespace Bridge.Interop;

/// <summary>Suggests names that are similar to a mistyped name.</summary>
internal static class NearNames
{
    private const int MaxSuggestions = 3;

    /// <summary>
    /// Returns a question such as " Did you mean A or B?". It suggests the name that is equal except for case. If there is none, it
    /// suggests up to three names whose last part is equal except for case, or else up to three names with a similar last part. Returns ""
    /// if no name is similar.
    /// </summary>
    /// <param name="name">The name that was not found, with or without its namespace and enclosing types.</param>
    /// <param name="candidates">Full names.</param>
    internal static string Suggest(string name, IEnumerable<string> candidates)
    {
        // The last parts of the names are compared first: a wrong or missing namespace is the most common mistake.
        var ranked = candidates.Distinct()
            .Select(candidate => (Name: candidate, Part: Distance(Simple(name), Simple(candidate)), Whole: Distance(name, candidate)))
            .OrderBy(item => item.Part).ThenBy(item => item.Whole).ToArray();
        var limit = ranked is [{ Part: 0 }, ..] ? 0 : Math.Max(1, Simple(name).Length / 3);
        var near = ranked.TakeWhile(item => item.Part <= limit).Take(ranked is [{ Whole: 0 }, ..] ? 1 : MaxSuggestions)
            .Select(item => item.Name).ToArray();
        return near.Length == 0 ? "" : $" Did you mean {string.Join(" or ", near)}?";
    }

    // Returns the edit distance, ignoring case. An exchange of two adjacent characters counts as one edit.
    private static int Distance(string a, string b)
    {
        var (left, right) = (a.ToUpperInvariant(), b.ToUpperInvariant());
        var (older, row) = (Array.Empty<int>(), Enumerable.Range(0, right.Length + 1).ToArray());
        for (var i = 1; i <= left.Length; i++)
        {
            var last = row;
            row = new int[right.Length + 1];
            row[0] = i;
            for (var j = 1; j <= right.Length; j++)
            {
                row[j] = Math.Min(Math.Min(last[j], row[j - 1]) + 1, last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1));
                if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                    row[j] = Math.Min(row[j], older[j - 2] + 1);
            }

            older = last;
        }

        return row[^1];
    }

    private static string Simple(string name) => name[(name.LastIndexOfAny(['.', '+']) + 1)..];
}
