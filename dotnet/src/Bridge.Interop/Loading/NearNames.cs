namespace Bridge.Interop;

/// <summary>Suggests names that are similar to a mistyped one.</summary>
internal static class NearNames
{
    private const int MaxSuggestions = 3;

    /// <summary>Returns " Did you mean A or B?" with the most similar full names; an empty string if none is similar.</summary>
    /// <param name="name">The name that was not found, with or without its namespace.</param>
    /// <param name="candidates">Full names.</param>
    internal static string Suggest(string name, IEnumerable<string> candidates)
    {
        // The last parts of the names are compared first: a wrong or missing namespace is the most common mistake.
        var near = candidates.Select(candidate => (candidate, Distance: Distance(Simple(name), Simple(candidate))))
            .Where(item => item.Distance <= Math.Max(1, Simple(name).Length / 3))
            .OrderBy(item => item.Distance).ThenBy(item => Distance(name, item.candidate))
            .Take(MaxSuggestions).Select(item => item.candidate).ToArray();
        return near.Length == 0 ? "" : $" Did you mean {string.Join(" or ", near)}?";
    }

    // The Levenshtein distance, ignoring case.
    private static int Distance(string a, string b)
    {
        var (left, right) = (a.ToUpperInvariant(), b.ToUpperInvariant());
        var row = Enumerable.Range(0, right.Length + 1).ToArray();
        for (var i = 1; i <= left.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= right.Length; j++)
            {
                var above = row[j];
                row[j] = Math.Min(Math.Min(above, row[j - 1]) + 1, diagonal + (left[i - 1] == right[j - 1] ? 0 : 1));
                diagonal = above;
            }
        }

        return row[^1];
    }

    private static string Simple(string name) => name[(name.LastIndexOfAny(['.', '+']) + 1)..];
}
