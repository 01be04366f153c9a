using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>
/// Generates the operators <c>+ - * /</c> between a tensor and an int, long, float or double, and <c>%</c> with the number on the right.
/// They convert the number to a Scalar. TorchSharp has an overload for each of the types, and assemblies compiled against it refer to them.
/// </summary>
[Generator]
public sealed class NumberOperators : IIncrementalGenerator
{
    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var isBridgeTorch = context.CompilationProvider.Select(static (compilation, _) => compilation.AssemblyName == "Bridge.Torch");
        context.RegisterSourceOutput(isBridgeTorch, static (output, isBridgeTorch) =>
        {
            if (isBridgeTorch) output.AddSource("NumberOperators.g.cs", Text());
        });
    }

    private static string Text()
    {
        var source = new Source().Line("namespace TorchSharp;").Line();
        source.Open("public static partial class torch").Open("public partial class Tensor");
        foreach (var number in new[] { "int", "long", "float", "double" })
        {
            foreach (var sign in "+-*/%")
                source.Line($"public static Tensor operator {sign}(Tensor left, {number} right) => left {sign} (Scalar)right;");
            foreach (var sign in "+-*/")
                source.Line($"public static Tensor operator {sign}({number} left, Tensor right) => (Scalar)left {sign} right;");
        }

        return source.Close().Close().ToString();
    }
}
