using Bridge.Trace.Tool.Printing;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Contains the tolerances: numbers are equal if <c>|x - y| &lt;= atol + rtol * max(|x|, |y|)</c>.</summary>
/// <param name="Relative">The relative tolerance.</param>
/// <param name="Absolute">The absolute tolerance.</param>
internal readonly record struct Tolerance(double Relative, double Absolute);

/// <summary>Compares the values of aligned events, and finds the module that causes the differences (the culprit).</summary>
internal sealed class ValueDifferences
{
    private readonly (string A, string B) _names;
    private readonly List<Difference> _found = [];
    // By call, whether the arguments differ.
    private readonly Dictionary<int, bool> _arguments = [];
    private bool _anyDiffers;

    private ValueDifferences((string A, string B) names) => _names = names;

    internal IReadOnlyList<Difference> Found => _found;

    /// <summary>Gets the difference at the first module whose output differs although its inputs do not; null if no module is.</summary>
    internal Difference? Culprit { get; private set; }

    /// <summary>Gets the largest difference of two numbers; infinite if values differ by digest only.</summary>
    internal double Largest { get; private set; }

    /// <summary>Gets the number of compared values.</summary>
    internal long Compared { get; private set; }

    /// <exception cref="TraceFileException">The elements of a tensor cannot be read.</exception>
    internal static ValueDifferences Of(
        RecordedTrace a, RecordedTrace b, IReadOnlyList<Row> rows, Tolerance allowed, (string A, string B) names)
    {
        var result = new ValueDifferences(names);
        for (var row = 0; row < rows.Count; row++)
            if (rows[row] is ({ } x, { } y)) result.Compare(a, b, x, y, row, allowed);

        return result;
    }

    private void Compare(RecordedTrace a, RecordedTrace b, TraceEvent x, TraceEvent y, int row, Tolerance allowed)
    {
        var differs = false;
        if (AreSame(a, b, x, y))
        {
            Compared += x.Values.Count(value => value.IsKnown);
        }
        else
        {
            var result = ValueComparison.Of(Load(a, x), Load(b, y), allowed.Relative, allowed.Absolute);
            (Largest, Compared) = (Math.Max(Largest, result.Largest), Compared + result.Compared);
            differs = result.Differs || result.Content;
            _found.AddRange(Describe(x, y, result, row));
        }

        if (x.Phase == TraceEvent.Pre)
        {
            _arguments[x.Call] = _arguments.GetValueOrDefault(x.Call) || differs;
        }
        else if (differs && Culprit is null)
        {
            // A bypassed module, whose arguments are unknown, is the culprit only if nothing before it differs, apart from devices.
            var before = _arguments.TryGetValue(x.Call, out var given) ? given : _anyDiffers;
            if (!before) Culprit = _found[^1];
        }

        _anyDiffers |= differs;
    }

    private static bool AreSame(RecordedTrace a, RecordedTrace b, TraceEvent x, TraceEvent y)
    {
        if (x.Values.Length != y.Values.Length) return false;
        for (var k = 0; k < x.Values.Length; k++)
            if (!x.Values[k].IsSame(y.Values[k], exact: true)) return false;

        // Tensors without a digest are compared by their elements, if both traces have elements.
        return a.Elements is null || b.Elements is null || !Array.Exists(x.Values, value => value is { IsTensor: true, Digest: null });
    }

    private static LoadedValue[] Load(RecordedTrace trace, TraceEvent item) =>
        [.. item.Values.Select(value => new LoadedValue(value, trace.Elements?.Read(value)))];

    private IEnumerable<Difference> Describe(TraceEvent x, TraceEvent y, ValueComparison result, int row)
    {
        var bypass = x.Phase == TraceEvent.Bypass || y.Phase == TraceEvent.Bypass;
        var arguments = !bypass && x.Phase == TraceEvent.Pre;
        var what = arguments ? "arguments differ" : "result differs";
        var clause = bypass ? "C-3" : arguments ? "P-1" : "F-1";
        var name = Phrases.PathName(x.Path);
        var found = new Difference
        {
            Kind = Difference.ArgumentsKind,
            Clause = clause,
            Path = x.Path,
            Phase = x.Phase,
            Message = $"{name}: {what}, {string.Join("; ", result.Arguments)} ({_names.A}; {_names.B}).",
            Positions = (x.Number, y.Number),
            Row = row,
            DeviceOnly = !(result.Content || result.Differs),
        };
        if (result.Arguments.Count > 0) yield return found;
        if (!result.Differs) yield break;
        yield return found with
        {
            Kind = Difference.ValuesKind,
            Message = $"{name}: {what} {Amount(result)}.",
            Absolute = result.Absolute,
            Relative = result.Relative,
            Elements = result.Elements,
            NonFinite = result.NonFinite,
            DeviceOnly = false,
        };
    }

    private static string Amount(ValueComparison result)
    {
        if (result is { Digests: true, Elements: 0 }) return "by digest";
        var words = $"by up to {PythonText.General(result.Absolute, 3)} (relative {PythonText.General(result.Relative, 3)}) "
            + $"in {result.Elements} of {Phrases.Plural(result.Total, "number")}";
        return result.NonFinite > 0 ? $"{words}, {result.NonFinite} of them with a NaN or an infinity" : words;
    }
}
