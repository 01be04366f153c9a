using System.Globalization;
using Bridge.Trace.Tool.Printing;

namespace Bridge.Trace.Tool.Tests.Printing;

public sealed class PythonTextTests
{
    [Theory]
    [InlineData(0.0, "0")]
    [InlineData(-0.0, "-0")]
    [InlineData(1.0, "1")]
    [InlineData(0.125, "0.125")]
    [InlineData(0.0625, "0.0625")]
    [InlineData(1.125, "1.12")]
    [InlineData(1.375, "1.38")]
    [InlineData(2.5e-5, "2.5e-05")]
    [InlineData(0.0001, "0.0001")]
    [InlineData(999.5, "1e+03")]
    [InlineData(1000.5, "1e+03")]
    [InlineData(123.0, "123")]
    [InlineData(5e-324, "4.94e-324")]
    [InlineData(1.7976931348623157e308, "1.8e+308")]
    [InlineData(-12.25, "-12.2")]
    [InlineData(double.PositiveInfinity, "inf")]
    [InlineData(double.NegativeInfinity, "-inf")]
    [InlineData(double.NaN, "nan")]
    public void ThreeDigitsAreThoseOfPython(double value, string text) => Assert.Equal(text, PythonText.General(value, 3));

    [Theory]
    [InlineData("it's", "\"it's\"")]
    [InlineData("\"it's\"", "'\"it\\'s\"'")]
    [InlineData("a\\b\n\t\u0007\u007f", "'a\\\\b\\n\\t\\x07\\x7f'")]
    [InlineData("é\u200b\U0001f600", "'é\\u200b\U0001f600'")]
    public void StringsAreWrittenAsByRepr(string value, string text) => Assert.Equal(text, PythonText.Repr(value));

    [Fact]
    public void LoneSurrogatesAreEscaped() => Assert.Equal("'\\ud800'", PythonText.Repr("\ud800"));

    [Fact]
    public void OtherLiteralsAreWrittenAsByRepr()
    {
        object?[] literals = [null, true, 1e-5, 1e16, double.NaN, 2.0];
        Assert.Equal(["None", "True", "1e-05", "1e+16", "nan", "2.0"], literals.Select(PythonText.Repr));
        Assert.Equal(["()", "(3,)", "(1, 2)"], new long[][] { [], [3], [1, 2] }.Select(PythonText.Tuple));
    }

    [Fact]
    public void ControlCharactersAreEscaped() =>
        Assert.Equal("a\\x1b[2J\\u202eb é", PythonText.Printable(string.Create(CultureInfo.InvariantCulture, $"a\u001b[2J\u202eb é")));
}
