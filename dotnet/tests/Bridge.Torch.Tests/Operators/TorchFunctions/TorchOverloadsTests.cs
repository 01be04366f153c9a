using System.Reflection;
using System.Text.RegularExpressions;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests TorchFunctions.cs and the table of members: a function of torch calls the member of that name of its first argument.
/// </summary>
public sealed class TorchOverloadsTests : WithTorch
{
    /// <summary>The functions whose result is random, or is not computed by the member alone.</summary>
    private static readonly HashSet<string> Others =
        ["bernoulli", "multinomial", "rand_like", "randn_like", "randint_like", "empty_like", "normal", "poisson", "save", "load", "where"];

    public static TheoryData<string> Names() =>
        new(Functions().Select(pair => pair.Function.Name).Distinct().Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Names))]
    public void A_function_of_torch_gives_what_the_member_gives(string name)
    {
        using var scope = NewDisposeScope();
        foreach (var (function, member) in Functions().Where(pair => pair.Function.Name == name))
        {
            var rest = function.GetParameters().Skip(1).Select((parameter, at) => Sample(parameter, at)).ToArray();
            foreach (var make in (Func<Tensor>[])[() => tensor(new[,] { { 0.5f, 0.25f }, { 0.75f, 1f } }), () =>
                tensor(new[,] { { 1L, 0L }, { 1L, 1L } })])
            {
                var theirs = Outcome(() => member.Invoke(make(), [.. rest.Select(Copy)]));
                var ours = Outcome(() => function.Invoke(null, [make(), .. rest.Select(Copy)]));
                Assert.True(theirs == ours, $"{function}: {ours} instead of {theirs}");
            }
        }
    }

    private static IEnumerable<(MethodInfo Function, MethodInfo Member)> Functions() =>
        from function in typeof(TorchSharp.torch).GetMethods(BindingFlags.Public | BindingFlags.Static)
        where !function.IsGenericMethod && !Others.Contains(function.Name) && function.GetParameters() is [var first, ..]
            && first.ParameterType == typeof(Tensor)
        let rest = function.GetParameters().Skip(1).Select(parameter => parameter.ParameterType).ToArray()
        where !rest.Any(type => type.IsByRefLike || type.IsByRef)
        let member = typeof(Tensor).GetMethod(function.Name, BindingFlags.Public | BindingFlags.Instance, rest)
        where member is not null && !member.IsGenericMethod && member.ReturnType == function.ReturnType
        select (function, member);

    private static object? Copy(object? value) => value is Tensor tensor ? tensor.clone() : value;

    private static object? Sample(ParameterInfo parameter, int at)
    {
        var type = parameter.ParameterType;
        if (parameter.HasDefaultValue && type != typeof(Tensor))
            return parameter.DefaultValue is { } given && type.IsEnum ? Enum.ToObject(type, given) : parameter.DefaultValue;
        if (type == typeof(Tensor))
            return parameter.Name is "index" or "indices"
                ? tensor(new[,] { { 0L, 1L }, { 1L, 0L } }) : tensor(new[,] { { 1f, 0.5f }, { 0.25f, 1f } });
        if (type == typeof(long)) return (long)(at % 2);
        if (type == typeof(int)) return at % 2;
        if (type == typeof(long[])) return new[] { 0L, 1L };
        if (type == typeof(double)) return 0.5;
        if (type == typeof(float)) return 0.5f;
        if (type == typeof(bool)) return true;
        if (type == typeof(Scalar)) return (Scalar)1;
        return type.IsValueType ? Activator.CreateInstance(type) : null;
    }

    /// <summary>The result, or the failure, as text.</summary>
    private static string Outcome(Func<object?> run)
    {
        try
        {
            return Text(run());
        }
        catch (TargetInvocationException failure)
        {
            // Which overload it was is left out: without a rounding mode, div_ of torch is the operator that knows none.
            return $"{failure.InnerException!.GetType().Name}: {Regex.Replace(failure.InnerException.Message, @"^(aten::\w+)\.\w+", "$1")}";
        }
    }

    private static string Text(object? value) => value switch
    {
        Tensor tensor when is_complex(tensor.dtype) => Text(tensor.view_as_real()),
        Tensor tensor =>
            $"{tensor.dtype}[{string.Join(",", tensor.shape)}] {string.Join(" ", tensor.to(ScalarType.Float64).ToArray<double>())}",
        Tensor[] tensors => string.Join("; ", tensors.Select(Text)),
        System.Runtime.CompilerServices.ITuple tuple => string.Join("; ", Enumerable.Range(0, tuple.Length).Select(at => Text(tuple[at]))),
        _ => value?.ToString() ?? "null",
    };
}
