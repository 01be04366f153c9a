using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;

namespace Bridge.TorchSharp.Analyzers.Tests;

/// <summary>Compares what the rules report with the marks <c>[|…|]</c> in sources.</summary>
internal static class Verify
{
    /// <summary>Asserts that the rule reports each mark and nothing else, and that no other rule reports anything.</summary>
    internal static async Task<Analyzed> Reports(DiagnosticDescriptor rule, params string[] marked)
    {
        var analyzed = await Analyzed.Of([.. marked.Select(Unmarked)]);
        var reported = analyzed.Reported;
        Assert.Equal(marked.SelectMany(Marks), reported.Select(Shown));
        Assert.All(reported, diagnostic => Assert.Equal(rule.Id, diagnostic.Id));
        return analyzed;
    }

    /// <summary>Asserts that no rule reports anything.</summary>
    internal static async Task ReportsNothing(params string[] sources) =>
        Assert.Equal([], (await Analyzed.Of(sources)).Reported.Select(Shown));

    /// <summary>Asserts that the rule reports each mark, and that the fixes, all at once or one by one, give the expected text.</summary>
    internal static async Task Fixes(DiagnosticDescriptor rule, string marked, string expected)
    {
        var before = await Reports(rule, marked);
        var after = await before.AllFixed(rule.Id);
        Assert.Equal(expected, Assert.Single(after.Texts));
        Assert.Equal([], after.Reported.Select(Shown));

        var one = before;
        for (var left = before.Reported.Length; left > 0 && one.Reported.Length > 0; left--)
        {
            one = await one.Fixed(one.Reported[0]);
        }
        Assert.Equal(expected, Assert.Single(one.Texts));
    }

    /// <summary>Asserts that the rule reports each mark, and that no fix is offered.</summary>
    internal static async Task HasNoFix(DiagnosticDescriptor rule, string marked)
    {
        var before = await Reports(rule, marked);
        foreach (var diagnostic in before.Reported)
        {
            Assert.Same(before, await before.Fixed(diagnostic));
        }
    }

    private static string Unmarked(string source) => source.Replace("[|", "").Replace("|]", "");

    private static IEnumerable<string> Marks(string source, int number)
    {
        foreach (Match mark in Regex.Matches(source, @"\[\|(.*?)\|\]", RegexOptions.Singleline))
        {
            yield return Shown(number, Unmarked(source[..mark.Index]).Length, mark.Groups[1].Value);
        }
    }

    private static string Shown(Diagnostic diagnostic)
    {
        var tree = diagnostic.Location.SourceTree!;
        var number = Path.GetFileNameWithoutExtension(tree.FilePath)["File".Length..];
        var span = diagnostic.Location.SourceSpan;
        return Shown(int.Parse(number), span.Start, tree.GetText().ToString(span));
    }

    private static string Shown(int file, int start, string text) => $"file {file}, {start}: {text}";
}
