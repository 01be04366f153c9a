using System.Reflection;
using TorchSharp;

namespace Bridge.Torch.Tests;

/// <summary>Tests CSharpNames.cs: types and signatures in C#'s notation.</summary>
public sealed class CSharpNamesTests : WithTorch
{
    [Fact]
    public void A_class_has_its_namespace_and_the_library_none()
    {
        Assert.Equal("Bridge.Torch.Tests.CSharpNamesTests.Options", CSharpNames.Full(typeof(Options)));
        Assert.Equal("Linear", CSharpNames.Full(typeof(TorchSharp.Modules.Linear)));
    }

    [Fact]
    public void Parameters_have_types_and_defaults()
    {
        var method = typeof(CSharpNamesTests).GetMethod(nameof(Declared), BindingFlags.NonPublic | BindingFlags.Static)!;
        Assert.Equal(
            "Tensor x, Tensor? mask = null, double rate = 0.5, bool on = true, string? text = \"a\", DayOfWeek day = DayOfWeek.Monday, "
            + "DayOfWeek? other = DayOfWeek.Friday, long? count = null, (int, int) pair = default",
            CSharpNames.Of(method.GetParameters()));
    }

    [Fact]
    public void Arguments_are_written_by_their_python_types()
    {
        object?[] given =
        [
            torch.ones(2, 3), null, "a", true, 1L, 0.5, Missing.Value, new object?[] { torch.ones(1), 2L },
            new ListOfValues([1L, 2L, 3L, 4L, 5L]), new DictOfValues([new("a", 1L)]), new Options(),
        ];
        Assert.Equal(
            "(Tensor[2, 3], None, str, bool, int, float, default, (Tensor[1], int), [int, int, int, int, …], {'a': int}, "
            + "CSharpNamesTests.Options)", CSharpNames.Given(given));
    }

    private static void Declared(torch.Tensor x, torch.Tensor? mask = null, double rate = 0.5, bool on = true, string? text = "a",
        DayOfWeek day = DayOfWeek.Monday, DayOfWeek? other = DayOfWeek.Friday, long? count = null, (int, int) pair = default)
    {
    }

    private sealed class Options;
}
