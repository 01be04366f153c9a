using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>The modules that are native code within a layer of TorchSharp.</summary>
public sealed class NativeModulesTests
{
    private static readonly string[] _inEncoder = ["self_attn", "self_attn.out_proj", "linear1", "linear2", "norm1", "norm2"];

    [Fact]
    public void Those_with_parameters_are_found_in_the_layers_that_have_them()
    {
        Assert.Equal(_inEncoder, Found(nn.TransformerEncoderLayer(4, 1, 8)));
        Assert.Equal(["out_proj"], Found(nn.MultiheadAttention(4, 1)));
        var all = Found(nn.Transformer(4, 1, 1, 1, 8));
        Assert.Equal(_inEncoder.Select(name => $"encoder.layers.0.{name}"), all.Take(6));
        Assert.Contains("decoder.layers.0.multihead_attn.out_proj", all);
    }

    [Fact]
    public void Other_layers_have_none()
    {
        Assert.Empty(Found(nn.LSTM(4, 3, 2)));
        Assert.Empty(Found(nn.Linear(4, 3)));
        Assert.Empty(Found(nn.Sequential(nn.Linear(4, 3), nn.ReLU())));
        var own = new Net();
        own.register_parameter("weight.original0", nn.Parameter(ones(1)));
        Assert.Empty(Found(own));
    }

    [Fact]
    public void Their_paths_begin_with_the_path_of_the_layer()
    {
        using var trace = HookTrace.Record(new Native());
        Assert.Equal(_inEncoder.Select(name => $"encoder.layers.0.{name}"), trace.Unhooked.Select(module => module.Path));
        Assert.EndsWith("norm2: it is native code within a module of class TransformerEncoder", trace.Unhooked[^1].ToString());
    }

    private static IReadOnlyList<string> Found(nn.Module module) =>
        NativeModules.Find(new(module, "", null), Library.FromModel(module));
}
