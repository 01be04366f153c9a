using System.Text.Json;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>The modules that are native code within a layer of TorchSharp.</summary>
public sealed class NativeModulesTests : IDisposable
{
    private static readonly string[] _inEncoder = ["self_attn", "self_attn.out_proj", "linear1", "linear2", "norm1", "norm2"];

    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Those_with_parameters_are_found_in_the_layers_that_have_them()
    {
        Assert.Equal(_inEncoder, Found(nn.TransformerEncoderLayer(4, 1, 8)));
        Assert.Equal(["out_proj"], Found(nn.MultiheadAttention(4, 1)));
        // `encoder.layers` is a ModuleList, which PyTorch never calls.
        var all = Found(nn.Transformer(4, 1, 1, 1, 8));
        string[] first = ["encoder", "encoder.layers.0", .. _inEncoder.Select(name => $"encoder.layers.0.{name}")];
        Assert.Equal(first, all.Take(8));
        Assert.Contains("decoder.layers.0.multihead_attn.out_proj", all);
        Assert.DoesNotContain(all, path => path.EndsWith("layers", StringComparison.Ordinal));
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
        Assert.Empty(Found(nn.ParameterDict(("weight.original0", nn.Parameter(ones(1))))));
        var odd = nn.Linear(4, 3);
        foreach (var name in (string[])["end.", ".start", ".", "number.0"]) odd.register_parameter(name, nn.Parameter(ones(1)));
        Assert.Empty(Found(odd));
    }

    [Fact]
    public void Their_paths_begin_with_the_path_of_the_layer()
    {
        using var trace = HookTrace.Record(new Native());
        string[] expected = ["encoder.layers.0", .. _inEncoder.Select(name => $"encoder.layers.0.{name}")];
        Assert.Equal(expected, trace.Unhooked.Select(module => module.Path));
        Assert.EndsWith("norm2: it is native code within a module of class TransformerEncoder", trace.Unhooked[^1].ToString());
    }

    [Fact]
    public void The_header_lists_them_and_modules_without_hooks_sorted()
    {
        var model = new Native();
        model.register_module("a", new Container());
        var found = Header(model).GetProperty("unseen").EnumerateArray().Select(path => path.GetString());
        string[] inLayer = ["", ".linear1", ".linear2", ".norm1", ".norm2", ".self_attn", ".self_attn.out_proj"];
        Assert.Equal(["a", .. inLayer.Select(name => $"encoder.layers.0{name}")], found);
    }

    [Fact]
    public void A_list_of_modules_is_never_called_so_nothing_of_it_is_unseen()
    {
        using var trace = HookTrace.Record(new Bypassing());
        Assert.NotEmpty(trace.Unhooked);
        Assert.False(Header(new Bypassing()).TryGetProperty("unseen", out _));
    }

    private JsonElement Header(nn.Module model)
    {
        var file = Path.Combine(_folder, "run.jsonl");
        HookTrace.Record(model, file).Dispose();
        return JsonDocument.Parse(File.ReadLines(file).First()).RootElement;
    }

    private static IReadOnlyList<string> Found(nn.Module module) =>
        NativeModules.Find(new(module, "", null), Library.FromModel(module));

    private sealed class Container() : nn.Module("Container");
}
