using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Runtime.cs: a process without Python.</summary>
public sealed class RuntimeTests : WithTorch
{
    [Fact]
    public void Binding_again_changes_nothing()
    {
        Bind();
        using var two = ones([1]) + 1;
        Assert.Equal(2f, two.ToSingle());
    }

    [Fact]
    public void The_tables_operators_are_listed_once_each_and_sorted()
    {
        Assert.Contains("aten::conv2d", Runtime.Operators);
        Assert.Equal(Runtime.Operators.Distinct().Order(StringComparer.Ordinal), Runtime.Operators);
    }

    [Fact]
    public void The_schema_file_has_every_operator_of_the_table_but_those_that_Python_registers()
    {
        var written = SchemaText().Split('\n').Select(line => line.Split('\t')[0]).ToHashSet();
        Assert.All(Runtime.Operators.Except(written), name => Assert.StartsWith("bridge::", name));
    }

    [Fact]
    public void A_model_runs_without_Python()
    {
        using var scope = NewDisposeScope();
        using var model = nn.Sequential(("conv", nn.Conv2d(1, 2, 3)), ("norm", nn.BatchNorm2d(2)), ("act", nn.PReLU(2)),
            ("pool", nn.MaxPool2d(2)), ("flat", nn.Flatten()), ("fc", nn.Linear(8, 3)), ("soft", nn.Softmax(1)));
        List<string> seen = [];
        foreach (var (name, child) in model.named_children())
            ((nn.Module<Tensor, Tensor>)child).register_forward_hook((Action<nn.Module>)(_ => seen.Add(name)));
        var result = model.call(randn([4, 1, 6, 6]));
        Assert.Equal([4L, 3L], result.shape);
        Assert.All(result.ToArray<float>(), p => Assert.InRange(p, 0f, 1f));
        Assert.Equal(["conv", "norm", "act", "pool", "flat", "fc", "soft"], seen);
        Assert.Equal(1, model.get_buffer("norm.num_batches_tracked")!.ToInt64());
    }
}
