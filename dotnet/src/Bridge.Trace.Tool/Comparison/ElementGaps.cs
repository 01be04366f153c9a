using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Represents the distances between two tensors of equal shape. Complex numbers are compared by component.</summary>
internal sealed class ElementGaps
{
    /// <summary>Gets the number of compared numbers.</summary>
    internal long Total { get; private set; }

    /// <summary>Gets the number of numbers out of tolerance.</summary>
    internal long Outside { get; private set; }

    /// <summary>Gets the number of numbers that differ by a NaN or an infinity.</summary>
    internal long NonFinite { get; private set; }

    /// <summary>Gets the largest distance; infinite for a mismatch of NaN or infinities.</summary>
    internal double Absolute { get; private set; }

    /// <summary>Gets the largest quotient of a distance and the larger magnitude.</summary>
    internal double Relative { get; private set; }

    internal static ElementGaps Of(TensorElements x, TensorElements y, double rtol, double atol)
    {
        var gaps = new ElementGaps();
        for (var k = 0; k < x.Count; k++)
        {
            if (x.IsInteger && y.IsInteger)
            {
                var size = Math.Max(Math.Abs(x.Number(k)), Math.Abs(y.Number(k)));
                gaps.Add(IntegerGap(x, y, k), size, false, rtol, atol);
                continue;
            }

            gaps.AddNumbers(x.Number(k), y.Number(k), rtol, atol);
            if (x.Kind == ElementKind.Complex || y.Kind == ElementKind.Complex)
                gaps.AddNumbers(x.Number(k, imaginary: true), y.Number(k, imaginary: true), rtol, atol);
        }

        return gaps;
    }

    internal static bool AreEqual(TensorElements x, TensorElements y)
    {
        if (!x.HasTypeOf(y)) return false;
        if (x.IsInteger) return x.Kind == ElementKind.Boolean ? Of(x, y, 0, 0).Absolute == 0 : x.Data.AsSpan().SequenceEqual(y.Data);
        for (var k = 0; k < x.Count; k++)
            if (x.Number(k) != y.Number(k) || x.Number(k, imaginary: true) != y.Number(k, imaginary: true)) return false;

        return true;
    }

    // NumPy has no integer type for int64 beside uint64: there, Python's side subtracts a negative number as doubles.
    private static double IntegerGap(TensorElements x, TensorElements y, int k)
    {
        var (a, b) = (x.Integer(k), y.Integer(k));
        var mixed = (x.Kind, y.Kind) is (ElementKind.Signed, ElementKind.Unsigned) or (ElementKind.Unsigned, ElementKind.Signed)
            && (x.Kind == ElementKind.Unsigned ? x.Size : y.Size) == 8;
        if (!mixed || (a >= 0 && b >= 0)) return (double)(a > b ? a - b : b - a);
        return (double)Int128.Max(a, b) - (double)Int128.Min(a, b);
    }

    private void AddNumbers(double x, double y, double rtol, double atol)
    {
        var gap = Math.Abs(x - y);
        var size = Math.Max(Math.Abs(x), Math.Abs(y));
        var alike = x == y || (double.IsNaN(x) && double.IsNaN(y));
        var mismatch = !alike && !(double.IsFinite(x) && double.IsFinite(y));
        if (mismatch) gap = double.PositiveInfinity;
        else if (alike) gap = 0;
        Add(gap, double.IsFinite(size) ? size : 0, mismatch, rtol, atol);
    }

    private void Add(double gap, double size, bool mismatch, double rtol, double atol)
    {
        Total++;
        if (mismatch) NonFinite++;
        if (mismatch || gap > atol + rtol * size) Outside++;
        Absolute = Math.Max(Absolute, gap);
        if (gap != 0) Relative = Math.Max(Relative, gap / size);
    }
}
