using Microsoft.CodeAnalysis.CodeFixes;

namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class ForwardCallFixTests
{
    private const string Modules = """


        class Three : Module<Tensor, int, string?, Tensor>
        {
            public Three() : base("Three") { }

            public override Tensor forward(Tensor x, int times = 1, string? name = null) => x * times;
        }

        enum Kind { A, B }

        class Four : Module<Tensor, Kind, double, bool, Tensor>
        {
            public Four() : base("Four") { }

            public override Tensor forward(Tensor x, Kind kind = Kind.B, double scale = 0.5, bool on = true) => x * scale;
        }
        """;

    [Theory]
    [InlineData("fc.[|forward|](x)", "fc.call(x)")]
    [InlineData("fc.[|forward|](act.[|forward|](fc.[|forward|](x)))", "fc.call(act.call(fc.call(x)))")]
    [InlineData("fc?.[|forward|](x)!", "fc?.call(x)!")]
    [InlineData("fc . [|forward|] ( x /* a comment */ )", "fc . call ( x /* a comment */ )")]
    [InlineData("three.[|forward|](x)", "three.call(x, 1, null)")]
    [InlineData("three.[|forward|](x, 2)", "three.call(x, 2, null)")]
    [InlineData("three.[|forward|](x, 2, \"a\")", "three.call(x, 2, \"a\")")]
    [InlineData("three.[|forward|](x, name: \"a\")", "three.call(x, input3: \"a\", input2: 1)")]
    [InlineData("three.[|forward|](times: 2, x: x)", "three.call(input2: 2, input1: x, input3: null)")]
    [InlineData("four.[|forward|](fc.[|forward|](x))", "four.call(fc.call(x), (Kind)1, 0.5, true)")]
    [InlineData("lstm.[|forward|](x).Item1", "lstm.call(x).Item1")]
    [InlineData("layer.[|forward|](x)", "layer.call(x)")]
    [InlineData("fc.[|forward|]((dynamic)x)", "fc.call((dynamic)x)")]
    [InlineData("new Tensor[] { x }.Select(fc.[|forward|]).First()", "new Tensor[] { x }.Select(fc.call).First()")]
    public Task A_call_has_the_arguments_that_forward_has(string written, string expected)
    {
        var program = (string expression) => $$"""
            class Program
            {
                static Tensor Run(
                    Linear fc, ReLU act, LSTM lstm, TransformerEncoderLayer layer, Three three, Four four, Tensor x) => {{expression}};
            }
            """ + Modules;
        return Verify.Fixes(Rules.Forward, program(written), program(expected));
    }

    [Theory]
    [InlineData("net.[|forward|](x, x)")]
    [InlineData("up.[|forward|](x, [2L, 2L])")]
    [InlineData("up.[|forward|](input: (dynamic)x)")]
    public Task A_forward_without_a_call_is_left(string written) => Verify.HasNoFix(
        Rules.Forward,
        $$"""
        class Net : Module<Tensor, Tensor>
        {
            public Net() : base("Net") { }

            public override Tensor forward(Tensor x) => x + 1;

            public Tensor forward(Tensor x, Tensor mask) => x * mask;
        }

        class Program
        {
            static Tensor Run(Net net, ConvTranspose2d up, Tensor x) => {{written}};
        }
        """);

    [Theory]
    [InlineData(FixAllScope.Document, "call", "forward")]
    [InlineData(FixAllScope.Project, "call", "call")]
    [InlineData(FixAllScope.Solution, "call", "call")]
    public async Task All_are_fixed_in_each_scope(FixAllScope scope, string first, string second)
    {
        var program = (string name, string method) => $$"""
            class {{name}}
            {
                static Tensor Run(Linear fc, Tensor x) => fc.{{method}}(fc.{{method}}(x));
            }
            """;
        var before = await Analyzed.Of([program("A", "forward"), program("B", "forward")]);
        var after = await before.AllFixed(Rules.Forward.Id, scope);
        Assert.Equal([program("A", first), program("B", second)], after.Texts);
    }
}
