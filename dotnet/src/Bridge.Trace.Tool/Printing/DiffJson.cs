using System.Text;
using Bridge.Hooks;
using Bridge.Trace.Tool.Comparison;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Printing;

/// <summary>Writes the result of a comparison as JSON, in the bytes of <c>python -m bridge diff --json</c>.</summary>
internal static class DiffJson
{
    // The largest number of items in `differences`; `structural` and `numeric` count all.
    private const int Listed = 1000;

    /// <exception cref="TraceFileException">The calls of a trace cannot be counted.</exception>
    internal static string Write(TraceDiff diff)
    {
        var all = diff.Structural.Concat(diff.Numeric).Take(Listed);
        return Object(
            0,
            ("verdict", Text(diff.Same ? "same" : "different")),
            ("explanation", Text(DiffWords.Explain(diff))),
            ("origins", Texts(diff.Origins)),
            ("runtimes", Texts([diff.Names.A, diff.Names.B])),
            ("events", Array(1, [$"{diff.A.Count}", $"{diff.B.Count}"])),
            ("calls", Array(1, [$"{diff.A.Calls}", $"{diff.B.Calls}"])),
            ("compared", $"{diff.Compared}"),
            ("largest_difference", Number(diff.Largest)),
            ("first_structural", Item(1, diff.FirstStructural)),
            ("first_numeric", Item(1, diff.FirstNumeric)),
            ("structural", $"{diff.Structural.Count}"),
            ("numeric", $"{diff.Numeric.Count}"),
            ("differences", Array(1, [.. all.Select(item => Item(2, item))])),
            ("bypassed", Texts([.. diff.Bypassed])),
            ("notes", Texts(diff.Notes))) + "\n";
    }

    /// <summary>Returns the error of a comparison that could not run.</summary>
    internal static string Write(TraceFileException error) => Object(
        0,
        ("format", "1"),
        ("verdict", Text("could not run")),
        ("error", Object(1, ("type", Text($"{error.Error}")), ("message", Text(error.Message))))) + "\n";

    private static string Item(int depth, Difference? item) => item is null ? "null" : Object(
        depth,
        ("kind", Text(item.Kind)),
        ("clause", Text(item.Clause)),
        ("path", Text(item.Path)),
        ("phase", Text(item.Phase)),
        ("message", Text(item.Message)),
        ("fix", Text(item.Fix)),
        ("positions", Array(depth + 1, [Position(item.Positions.A), Position(item.Positions.B)])),
        ("absolute", Number(item.Absolute)),
        ("relative", Number(item.Relative)),
        ("elements", $"{item.Elements}"),
        ("nonfinite", $"{item.NonFinite}"));

    private static string Position(int? number) => number is { } known ? $"{known}" : "null";

    private static string Number(double value) => double.IsFinite(value) ? TraceText.Real(value) : $"\"{PythonText.General(value)}\"";

    private static string Texts(IReadOnlyList<string> items) => Array(1, [.. items.Select(Text)]);

    private static string Object(int depth, params (string Name, string Value)[] members) =>
        Lines(depth, "{", "}", [.. members.Select(member => $"\"{member.Name}\": {member.Value}")]);

    private static string Array(int depth, IReadOnlyList<string> items) => items.Count == 0 ? "[]" : Lines(depth, "[", "]", items);

    private static string Lines(int depth, string open, string close, IReadOnlyList<string> items)
    {
        var indent = new string(' ', 2 * depth);
        return $"{open}\n{string.Join(",\n", items.Select(item => $"{indent}  {item}"))}\n{indent}{close}";
    }

    private static string Text(string value)
    {
        var text = new StringBuilder("\"");
        foreach (var c in value)
        {
            text.Append(c switch
            {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                '\f' => "\\f",
                '\b' => "\\b",
                < ' ' => $"\\u{(int)c:x4}",
                _ => $"{c}",
            });
        }

        return text.Append('"').ToString();
    }
}
