using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>
/// Writes the operators between a tensor and each of .NET's numbers: a compiled program is bound to the overload of the number's own type,
/// and all of them do what the one for a Scalar does.
/// </summary>
[Generator]
public sealed class NumberOperators : IIncrementalGenerator
{
    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var isHere = context.CompilationProvider.Select(static (compilation, _) => compilation.AssemblyName == "Bridge.Torch");
        context.RegisterSourceOutput(isHere, static (output, here) =>
        {
            if (here) output.AddSource("NumberOperators.g.cs", Text());
        });
    }

    private static string Text()
    {
        var source = new Source().Line("namespace TorchSharp;").Line().Open("public static partial class torch").Open("public partial class Tensor");
        foreach (var number in new[] { "int", "long", "float", "double" })
        {
            foreach (var sign in "+-*/%") source.Line($"public static Tensor operator {sign}(Tensor left, {number} right) => left {sign} (Scalar)right;");
            foreach (var sign in "+-*/") source.Line($"public static Tensor operator {sign}({number} left, Tensor right) => (Scalar)left {sign} right;");
        }

        return source.Close().Close().ToString();
    }
}
