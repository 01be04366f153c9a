using System.Numerics;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Tests.Reading;

public sealed class JsonTextTests
{
    [Fact]
    public void IntegersAndRealsAreDistinct()
    {
        Assert.Equal(new BigInteger(1), JsonText.Parse("1"));
        Assert.Equal(1.0, JsonText.Parse("1.0"));
        Assert.Equal(1.0, JsonText.Parse("1e0"));
        Assert.Equal(BigInteger.Pow(2, 70), JsonText.Parse("1180591620717411303424"));
        Assert.Equal(double.PositiveInfinity, JsonText.Parse("1e999"));
    }

    [Fact]
    public void StringsMayHaveLoneSurrogates()
    {
        Assert.Equal("\ud800 \n/é\U0001f600", JsonText.Parse("""
            "\ud800 \n\/é\ud83d\ude00"
            """));
    }

    [Fact]
    public void ObjectsKeepTheirOrder()
    {
        var found = (JsonObject)JsonText.Parse(""" { "b" : [ null , true , { } ] , "a" : false } """)!;
        Assert.Equal(["b", "a"], found.Members.Select(member => member.Key));
        Assert.True(found.TryGet("a", out var value));
        Assert.Equal(false, value);
    }

    [Fact]
    public void TwoEqualNamesAreRefused()
    {
        var error = Assert.Throws<DuplicateNameException>(() => JsonText.Parse("""{"a":{"b":1,"c":2,"c":3,"b":4}}"""));
        Assert.Equal("b", error.Message);
    }

    [Theory]
    [InlineData("")]
    [InlineData("nul")]
    [InlineData("NaN")]
    [InlineData("-Infinity")]
    [InlineData("01")]
    [InlineData("1.")]
    [InlineData("+1")]
    [InlineData("[1,]")]
    [InlineData("{\"a\"}")]
    [InlineData("{a:1}")]
    [InlineData("\"\t\"")]
    [InlineData("\"open")]
    [InlineData("\"\\x\"")]
    [InlineData("\"\\u12g4\"")]
    [InlineData("1 2")]
    [InlineData("\u00a01")]
    public void OtherTextIsRefused(string text) => Assert.Throws<FormatException>(() => JsonText.Parse(text));

    [Fact]
    public void DeepNestingIsRefused() => Assert.Throws<FormatException>(() => JsonText.Parse(new string('[', 100_000)));
}
