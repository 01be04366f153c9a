namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class InPlaceDisposalFixTests
{
    [Theory]
    [InlineData("using var y = [|x.relu_()|]; // The same.", "var y = x.relu_(); // The same.")]
    [InlineData("using Tensor y = [|x.add_(1)|];", "Tensor y = x.add_(1);")]
    public Task Using_is_removed(string statement, string expected) => Verify.Fixes(Rules.InPlace, Program(statement), Program(expected));

    [Theory]
    [InlineData("using Tensor y = x + 1, z = [|x.relu_()|];")]
    [InlineData("using (var y = [|x.relu_()|]) { }")]
    public Task Other_statements_are_left(string statement) => Verify.HasNoFix(Rules.InPlace, Program(statement));

    private static string Program(string statement) => $$"""
        class Program
        {
            void Run(Tensor x)
            {
                {{statement}}
            }
        }
        """;
}
