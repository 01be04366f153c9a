using TorchSharp;

namespace Bridge.Torch.Tests;

/// <summary>Tests CSharpTypeName.cs: types as C# writes them.</summary>
public sealed class CSharpTypeNameTests
{
    private class Outer<T>
    {
        internal sealed class Inner;

        internal sealed class Pair<TOther>;
    }

    [Theory]
    [InlineData(typeof(int), "int")]
    [InlineData(typeof(decimal), "decimal")]
    [InlineData(typeof(DateTime), "DateTime")]
    [InlineData(typeof(float?), "float?")]
    [InlineData(typeof(float[]), "float[]")]
    [InlineData(typeof(int[][,]), "int[][,]")]
    [InlineData(typeof(List<(int, string)>), "List<(int, string)>")]
    [InlineData(typeof((int, (bool, object))?[]), "(int, (bool, object))?[]")]
    [InlineData(typeof((int, int, int, int, int, int, int, long)), "(int, int, int, int, int, int, int, long)")]
    [InlineData(typeof((int, int, int, int, int, int, int, long, bool)), "(int, int, int, int, int, int, int, long, bool)")]
    [InlineData(typeof(Dictionary<string, Func<int>>), "Dictionary<string, Func<int>>")]
    [InlineData(typeof(List<>), "List<T>")]
    [InlineData(typeof(Outer<int>.Inner), "CSharpTypeNameTests.Outer<int>.Inner")]
    [InlineData(typeof(Outer<int>.Pair<string[]>), "CSharpTypeNameTests.Outer<int>.Pair<string[]>")]
    [InlineData(typeof(torch), "torch")]
    [InlineData(typeof(torch.Tensor), "Tensor")]
    [InlineData(typeof(torch.nn.Module<torch.Tensor, (torch.Tensor, int)>), "Module<Tensor, (Tensor, int)>")]
    [InlineData(typeof(torch.optim.Optimizer), "optim.Optimizer")]
    [InlineData(typeof(global::TorchSharp.Modules.Linear), "Linear")]
    public void A_type_is_written_as_in_code(Type type, string expected) => Assert.Equal(expected, CSharpTypeName.Of(type));

    [Fact]
    public void A_parameter_passed_by_reference_has_ref() =>
        Assert.Equal("ref (int, bool)", CSharpTypeName.Of(typeof((int, bool)).MakeByRefType()));
}
