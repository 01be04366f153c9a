using System.Reflection;

namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class InPlaceDisposalAnalyzerTests
{
    [Theory]
    [InlineData("using var y = [|x.relu_()|];")]
    [InlineData("using var y = [|x.add_(1).mul_(2)|];")]
    [InlineData("using var y = [|weight.fill_(1)|];")]
    [InlineData("using var y = [|fc.weight!.fill_(1)|];")]
    [InlineData("using var y = [|init.xavier_uniform_(weight)|];")]
    [InlineData("using var y = [|torch.add_(x, x)|];")]
    [InlineData("using (x.relu_()) { }", "x.relu_()")]
    [InlineData("using (var y = [|x.relu_()|]) { }")]
    [InlineData("foreach (var one in fc.parameters()) { using var y = [|one.fill_(1)|]; }")]
    [InlineData("var t = weight; using var y = [|t.relu_()|];")]
    [InlineData("var t = x + 1; using (var y = [|t.relu_()|]) { } t.print();")]
    public Task A_tensor_that_lives_on_is_reported(string statement, string? marked = null) =>
        Verify.Reports(Rules.InPlace, Program(marked is null ? statement : statement.Replace(marked, $"[|{marked}|]")));

    [Theory]
    [InlineData("using var y = x.relu();")]
    [InlineData("using var y = x.add(1).relu_();")]
    [InlineData("using var y = (x + 1).relu_();")]
    [InlineData("using var y = x[0].fill_(1);")]
    [InlineData("using var y = x.T.fill_(1);")]
    [InlineData("using var y = zeros(2).normal_();")]
    [InlineData("var t = x + 1; using var y = t.relu_(); y.print();")]
    [InlineData("using var t = x + 1; using var y = t.relu_();")]
    [InlineData("using var y = x.tril_();")] // a new object, in spite of its name
    [InlineData("var y = x.relu_();")]
    [InlineData("using var y = Own.same_(x);")]
    public Task Other_tensors_are_not_reported(string statement) => Verify.ReportsNothing(Program(statement));

    [Fact]
    public Task A_tensor_that_is_returned_is_reported() => Verify.Reports(
        Rules.InPlace,
        """
        class Program
        {
            static Tensor Run(Tensor x)
            {
                var t = x + 1;
                using var y = [|t.relu_()|];
                return t;
            }
        }
        """);

    /// <summary>The methods that return a new object are found in TorchSharp's own code: the others end with <c>return this</c>.</summary>
    [Fact]
    public void The_list_of_methods_that_return_a_new_object_is_complete()
    {
        const BindingFlags all = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        var found = from type in new[] { typeof(global::TorchSharp.torch), typeof(global::TorchSharp.torch.Tensor) }
                    from method in type.GetMethods(all)
                    where method.ReturnType == typeof(global::TorchSharp.torch.Tensor)
                        && method.Name.EndsWith('_') && !method.Name.EndsWith("__", StringComparison.Ordinal)
                        && !ReturnsItsTensor(method)
                    select method.Name;
        Assert.Equal(InPlace.New.Order(StringComparer.Ordinal), found.Distinct().Order(StringComparer.Ordinal));
    }

    /// <summary>Returns whether the last instructions return the tensor or the result of another in-place method.</summary>
    private static bool ReturnsItsTensor(MethodInfo method)
    {
        const byte loadFirst = 0x02, ret = 0x2A, call = 0x28, callVirtual = 0x6F;
        var code = method.GetMethodBody()!.GetILAsByteArray()!;
        if (code is [.., loadFirst, ret])
        {
            return true;
        }
        return code is [.., call or callVirtual, _, _, _, _, ret]
            && method.Module.ResolveMethod(BitConverter.ToInt32(code, code.Length - 5))!.Name.EndsWith('_');
    }

    private static string Program(string statement) => $$"""
        static class Own
        {
            public static Tensor same_(Tensor x) => x.alias();
        }

        class Program
        {
            readonly Parameter weight = Parameter(ones(2));

            void Run(Linear fc, Tensor x)
            {
                {{statement}}
            }
        }
        """;
}
