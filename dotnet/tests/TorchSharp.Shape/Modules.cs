using System.Collections;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

public sealed class Parameter : Tensor
{
    /// <summary>Takes the tensor's handle, so that this is the one object left (rule 81).</summary>
    public Parameter(Tensor data, bool requires_grad = true) : base(data.Stored, data.shape, data.dtype, data.device_type) => data.Dispose();
}

public sealed class Linear : nn.Module<Tensor, Tensor>
{
    internal Linear(long inputSize, long outputSize) : base(nameof(Linear))
    {
        weight = new(randn(outputSize, inputSize));
        bias = new(randn(outputSize));
        register_parameter(nameof(weight), weight);
        register_parameter(nameof(bias), bias);
    }

    public Parameter weight { get; }

    public Parameter bias { get; }

    public override Tensor forward(Tensor input)
    {
        var (inner, outer) = (weight.size(1), weight.size(0));
        var rows = input.numel() / inner;
        var made = new double[rows * outer];
        var (x, w, b) = (input.Elements, weight.Elements, bias.Elements);
        for (var i = 0L; i < made.Length; i++)
        {
            var sum = b[i % outer];
            for (var k = 0L; k < inner; k++) sum += x[(i / outer * inner) + k] * w[(i % outer * inner) + k];
            made[i] = sum;
        }

        return new Tensor(made, [.. input.shape[..^1], outer], input.dtype);
    }
}

public sealed class ReLU : nn.Module<Tensor, Tensor>
{
    internal ReLU() : base(nameof(ReLU)) { }

    public override Tensor forward(Tensor input) => input.relu();
}

/// <summary>Returns its input as another object.</summary>
public sealed class Identity : nn.Module<Tensor, Tensor>
{
    internal Identity() : base(nameof(Identity)) { }

    public override Tensor forward(Tensor input) => input.alias();
}

/// <summary>Made by libtorch there, so that it has no children to hook (rules 46 and 47); its result is flat (rule 48).</summary>
public sealed class LSTM : nn.Module<Tensor, (Tensor, Tensor)?, (Tensor, Tensor, Tensor)>
{
    private readonly long _hidden;

    internal LSTM(long hidden) : base(nameof(LSTM)) => _hidden = hidden;

    // An omitted state is null in hooks, since zeros are made inside (rule 18).
    public override (Tensor, Tensor, Tensor) forward(Tensor input, (Tensor, Tensor)? h0_c0 = null) =>
        (zeros(input.size(0), input.size(1), _hidden), zeros(1, input.size(1), _hidden), zeros(1, input.size(1), _hidden));

    /// <summary>Reaches the hooks, with null for what is left out (rule 35).</summary>
    public new (Tensor, Tensor, Tensor) call(Tensor input, (Tensor, Tensor)? h0_c0 = null) => base.call(input, h0_c0);
}

/// <summary>Six arguments, and a pair of which the second never had a handle where it was not asked for (rule 48).</summary>
public sealed class MultiheadAttention : nn.Module<Tensor, Tensor, Tensor, Tensor?, bool, Tensor?, Tuple<Tensor, Tensor>>
{
    internal MultiheadAttention() : base(nameof(MultiheadAttention)) { }

    public override Tuple<Tensor, Tensor> forward(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask, bool need_weights, Tensor? attn_mask) =>
        new(query.alias(), need_weights ? zeros(query.size(1), query.size(0), key.size(0)) : new(null, []));

    public new Tuple<Tensor, Tensor> call(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask = null, bool need_weights = true, Tensor? attn_mask = null) =>
        base.call(query, key, value, key_padding_mask, need_weights, attn_mask);
}

/// <summary>Copied by the encoder; made by libtorch there (rule 46).</summary>
public sealed class TransformerEncoderLayer : nn.Module<Tensor, Tensor>
{
    internal TransformerEncoderLayer(long width, long inner) : base(nameof(TransformerEncoderLayer))
    {
        (Width, Inner) = (width, inner);
        foreach (var (name, shape) in Parts()) RegisterNative(name, shape);
    }

    internal long Width { get; }

    internal long Inner { get; }

    public override Tensor forward(Tensor input) => input.alias();

    internal IEnumerable<(string Name, long[] Shape)> Parts() =>
    [
        ("self_attn.in_proj_weight", [3 * Width, Width]), ("self_attn.in_proj_bias", [3 * Width]), ("self_attn.out_proj.weight", [Width, Width]), ("self_attn.out_proj.bias", [Width]),
        ("linear1.weight", [Inner, Width]), ("linear1.bias", [Inner]), ("linear2.weight", [Width, Inner]), ("linear2.bias", [Width]),
        ("norm1.weight", [Width]), ("norm1.bias", [Width]), ("norm2.weight", [Width]), ("norm2.bias", [Width]),
    ];
}

/// <summary>Its layers' parameters are its own, and they are no children (rule 47). Adds the last bias, so that what was written there shows.</summary>
public sealed class TransformerEncoder : nn.Module<Tensor, Tensor?, Tensor?, Tensor>
{
    internal TransformerEncoder(TransformerEncoderLayer layer, long count) : base(nameof(TransformerEncoder))
    {
        for (var i = 0L; i < count; i++)
            foreach (var (name, shape) in layer.Parts()) RegisterNative($"layers.{i}.{name}", shape);
    }

    public override Tensor forward(Tensor src, Tensor? src_mask = null, Tensor? src_key_padding_mask = null)
    {
        var (x, bias) = (src.Elements, get_parameter("layers.0.norm2.bias")!.Elements);
        return new([.. x.Select((value, i) => value + bias[i % bias.Length])], src.shape, src.dtype);
    }
}

/// <summary>No hooks (rule 6). Its items are registered when its own components are, and none that comes later (rule 65).</summary>
public class ModuleList<T> : nn.Module, IEnumerable<T>
    where T : nn.Module
{
    private readonly List<T> _items;

    internal ModuleList(T[] modules) : base(nameof(ModuleList<T>)) => _items = [.. modules];

    public int Count => _items.Count;

    public T this[int index] => _items[index];

    public void Add(T item) => _items.Add(item);

    public IEnumerator<T> GetEnumerator() => _items.GetEnumerator();

    protected override void RegisterComponents()
    {
        if (named_children().Any()) return;
        for (var i = 0; i < _items.Count; i++) register_module($"{i}", _items[i]);
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
