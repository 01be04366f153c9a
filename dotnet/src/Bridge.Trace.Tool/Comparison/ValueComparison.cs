using System.Globalization;
using System.Numerics;
using Bridge.Trace.Tool.Printing;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Represents a value with its elements, which are null if they were not recorded.</summary>
/// <param name="Value">The value.</param>
/// <param name="Elements">The elements.</param>
internal readonly record struct LoadedValue(TraceValue Value, TensorElements? Elements);

/// <summary>Represents the result of comparing the values of two events, within a tolerance.</summary>
/// <param name="rtol">The relative tolerance.</param>
/// <param name="atol">The absolute tolerance.</param>
internal sealed class ValueComparison(double rtol, double atol)
{
    /// <summary>Gets the differences of shapes, dtypes, devices, numbers, strings, kinds and counts, but not of elements.</summary>
    internal List<string> Arguments { get; } = [];

    /// <summary>Gets whether one of <see cref="Arguments"/> is not a difference of the device.</summary>
    internal bool Content { get; private set; }

    /// <summary>Gets the largest absolute difference in the tensors with elements out of tolerance.</summary>
    internal double Absolute { get; private set; }

    /// <summary>Gets the largest relative difference in the tensors with elements out of tolerance.</summary>
    internal double Relative { get; private set; }

    /// <summary>Gets the number of elements out of tolerance.</summary>
    internal long Elements { get; private set; }

    /// <summary>Gets the number of elements that differ by a NaN or an infinity.</summary>
    internal long NonFinite { get; private set; }

    /// <summary>Gets the number of elements that were compared one by one.</summary>
    internal long Total { get; private set; }

    /// <summary>Gets whether tensors differ whose elements are unknown.</summary>
    internal bool Digests { get; private set; }

    /// <summary>Gets whether the elements of two tensors differ beyond the tolerance, or <see cref="Digests"/>.</summary>
    internal bool Differs { get; private set; }

    /// <summary>Gets the largest difference of two numbers or elements, even within the tolerance.</summary>
    internal double Largest { get; private set; }

    /// <summary>Gets the number of compared tensors, numbers and booleans.</summary>
    internal int Compared { get; private set; }

    internal static ValueComparison Of(LoadedValue[] xs, LoadedValue[] ys, double rtol, double atol)
    {
        var result = new ValueComparison(rtol, atol);
        if (xs.Length != ys.Length) result.Report($"{Phrases.Plural(xs.Length, "value")} against {ys.Length}");
        for (var k = 0; k < Math.Min(xs.Length, ys.Length); k++)
            result.Compare(xs[k], ys[k], Math.Max(xs.Length, ys.Length) > 1 ? $"value {k} " : "");

        return result;
    }

    private void Compare(LoadedValue x, LoadedValue y, string mark)
    {
        var (left, right) = (x.Value, y.Value);
        // Python's 2 is 2.0 in C# if the parameter is a double.
        if ((left.Kind, right.Kind) is ("int", "float") or ("float", "int") && AreEqual(left.Literal, right.Literal))
        {
            Compared++;
            return;
        }

        if (left.Kind != right.Kind)
        {
            Report($"{mark}kind {left.Kind} against {right.Kind}");
            return;
        }

        if (!left.IsTensor)
        {
            CompareLiterals(left.Literal, right.Literal, mark);
            return;
        }

        var sameShape = left.HasShapeOf(right);
        if (!sameShape) Report($"{mark}shape {PythonText.Tuple(left.Shape!)} against {PythonText.Tuple(right.Shape!)}");
        if (left.DType != right.DType) Report($"{mark}dtype {left.DType} against {right.DType}");
        if (left.Device != right.Device) Arguments.Add($"{mark}device {left.Device} against {right.Device}");
        if (sameShape) CompareTensors(x, y);
    }

    private void CompareLiterals(object? left, object? right, string mark)
    {
        if (left is not (null or string) && right is not (null or string))
        {
            Compared++;
            if (AreEqual(left, right) || (left is double.NaN && right is double.NaN)) return;
            var gap = Gap(left, right);
            Largest = Math.Max(Largest, gap);
            if (gap < double.PositiveInfinity && gap <= atol + rtol * Math.Max(Math.Abs(Number(left)), Math.Abs(Number(right)))) return;
        }
        else if (Equals(left, right))
        {
            return;
        }

        Report($"{mark}{PythonText.Repr(left)} against {PythonText.Repr(right)}");
    }

    private void CompareTensors(LoadedValue x, LoadedValue y)
    {
        var (left, right) = (x.Value, y.Value);
        var known = left.Digest is not null && right.Digest is not null;
        if (!known && (x.Elements is null || y.Elements is null)) return;
        Compared++;
        if (known && left.Digest == right.Digest && left.DType == right.DType) return;
        if (x.Elements is null || y.Elements is null)
        {
            Differs = Digests = true;
            Absolute = Relative = Largest = double.PositiveInfinity;
            return;
        }

        if (ElementGaps.AreEqual(x.Elements, y.Elements))
        {
            Total += x.Elements.Count;
            return;
        }

        var gaps = ElementGaps.Of(x.Elements, y.Elements, rtol, atol);
        Total += gaps.Total;
        Largest = Math.Max(Largest, gaps.Absolute);
        if (gaps.Outside == 0) return;
        Differs = true;
        Elements += gaps.Outside;
        NonFinite += gaps.NonFinite;
        Absolute = Math.Max(Absolute, gaps.Absolute);
        Relative = Math.Max(Relative, gaps.Relative);
    }

    private void Report(string words)
    {
        Arguments.Add(words);
        Content = true;
    }

    private static bool AreEqual(object? left, object? right) => (left, right) switch
    {
        (double x, double y) => x == y,
        (BigInteger x, double y) => IsNumber(x, y),
        (double x, BigInteger y) => IsNumber(y, x),
        _ => Equals(left, right),
    };

    private static bool IsNumber(BigInteger x, double y) => double.IsInteger(y) && x == new BigInteger(y);

    // The distance of two numbers; infinite if a number or the distance is not finite as a double.
    private static double Gap(object left, object right)
    {
        var gap = left is double x && right is double y ? Math.Abs(x - y) : Nearest(BigInteger.Abs(Integer(left) - Integer(right)));
        return double.IsFinite(Number(left)) && double.IsFinite(Number(right)) ? gap : double.PositiveInfinity;
    }

    private static BigInteger Integer(object value) => value is bool known ? known ? 1 : 0 : (BigInteger)value;

    private static double Number(object value) => value is double number ? number : Nearest(Integer(value));

    // The cast from BigInteger to double truncates.
    private static double Nearest(BigInteger value) =>
        double.Parse(value.ToString(CultureInfo.InvariantCulture), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
}
