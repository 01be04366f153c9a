using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>
/// Generates the operators <c>+ - * /</c> between a tensor and an int, long, float or double, and <c>%</c> with the number on the right.
/// They convert the number to a Scalar. TorchSharp has an overload for each of the types, and assemblies compiled against it refer to them.
/// </summary>
[Generator]
public sealed class NumberOperators : IIncrementalGenerator
{
    private const string Pages = "https://docs.pytorch.org/docs/stable/generated/";

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
            var isInteger = number is "int" or "long";
            foreach (var sign in "+-*/%")
            {
                Comment(source, Right(sign, number), sign, isInteger, ("left", "The tensor."), ("right", "The number."));
                source.Line($"public static Tensor operator {sign}(Tensor left, {number} right) => left {sign} (Scalar)right;");
            }

            foreach (var sign in "+-*/")
            {
                Comment(source, Left(sign, number), sign, isInteger, ("left", "The number."), ("right", "The tensor."));
                source.Line($"public static Tensor operator {sign}({number} left, Tensor right) => (Scalar)left {sign} right;");
            }
        }

        return source.Close().Close().ToString();
    }

    private static void Comment(Source source, string summary, char sign, bool isInteger, params (string Name, string Text)[] parameters)
    {
        var page = sign switch { '+' => "torch.add", '-' => "torch.sub", '*' => "torch.mul", '/' => "torch.div", _ => "torch.remainder" };
        source.Summary(summary);
        source.Line($"/// <remarks>PyTorch: <see href=\"{Pages}{page}.html\">{page}</see>.</remarks>");
        foreach (var (name, text) in parameters) source.Line($"/// <param name=\"{name}\">{text}</param>");
        source.Line("/// <returns>A new tensor.</returns>");
        source.Line("/// <exception cref=\"System.ArgumentNullException\">The tensor is null.</exception>");
        if (sign == '-' && isInteger) source.Line("/// <exception cref=\"System.ArgumentException\">The tensor is boolean.</exception>");
    }

    private static string Right(char sign, string number) => sign switch
    {
        '+' => $"Adds {A(number)} to each element of a tensor.",
        '-' => $"Subtracts {A(number)} from each element of a tensor.",
        '*' => $"Multiplies each element of a tensor by {A(number)}.",
        '/' => $"Divides each element of a tensor by {A(number)}; integers give a floating-point result.",
        _ => $"Computes the remainders, with the sign of the divisor, of dividing a tensor by {A(number)}.",
    };

    private static string Left(char sign, string number) => sign switch
    {
        '+' => $"Adds each element of a tensor to {A(number)}.",
        '-' => $"Subtracts each element of a tensor from {A(number)}.",
        '*' => $"Multiplies {A(number)} by each element of a tensor.",
        _ => $"Divides {A(number)} by each element of a tensor: as in PyTorch, multiplies the reciprocals by the number.",
    };

    private static string A(string number) => (number == "int" ? "an " : "a ") + number;
}
