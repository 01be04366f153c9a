using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>GPT-2: a step takes a token, and the keys and values of those before it.</summary>
public sealed class Gpt2 : Module<Tensor, List<(Tensor, Tensor)>, (Tensor, List<(Tensor, Tensor)>)>
{
    private readonly Embedding wte;
    private readonly Embedding wpe;
    private readonly ModuleList<Gpt2Block> h = new();
    private readonly LayerNorm ln_f;
    private readonly Linear lm_head;

    public Gpt2(long vocabulary, long context, int layers, long heads, long width) : base(nameof(Gpt2))
    {
        wte = Embedding(vocabulary, width);
        wpe = Embedding(context, width);
        for (var i = 0; i < layers; i++) h.Add(new Gpt2Block(heads, width));
        ln_f = LayerNorm(width);
        lm_head = Linear(width, vocabulary, hasBias: false);
        RegisterComponents();
        lm_head.weight = wte.weight;
    }

    public override (Tensor, List<(Tensor, Tensor)>) forward(Tensor ids, List<(Tensor, Tensor)> past)
    {
        var seen = past[0].Item1.shape[2];
        var x = wte.call(ids) + wpe.call(arange(seen, seen + ids.shape[1], dtype: int64));
        var present = new List<(Tensor, Tensor)>();
        for (var i = 0; i < h.Count; i++)
        {
            (x, var cache) = h[i].call(x, past[i]);
            present.Add(cache);
        }

        return (lm_head.call(ln_f.call(x)), present);
    }
}

/// <summary>Attention to all tokens so far, and a feed-forward layer.</summary>
public sealed class Gpt2Block : Module<Tensor, (Tensor, Tensor), (Tensor, (Tensor, Tensor))>
{
    private readonly long heads;
    private readonly LayerNorm ln_1;
    private readonly Linear c_attn;
    private readonly Linear c_proj;
    private readonly LayerNorm ln_2;
    private readonly Sequential mlp;

    public Gpt2Block(long heads, long width) : base(nameof(Gpt2Block))
    {
        this.heads = heads;
        ln_1 = LayerNorm(width);
        c_attn = Linear(width, 3 * width);
        c_proj = Linear(width, width);
        ln_2 = LayerNorm(width);
        mlp = Sequential(
            ("c_fc", Linear(width, 4 * width)),
            ("act", GELU(TorchSharp.Modules.GELU.Approximate.tanh)),
            ("c_proj", Linear(4 * width, width)));
        RegisterComponents();
    }

    public override (Tensor, (Tensor, Tensor)) forward(Tensor x, (Tensor, Tensor) past)
    {
        var (batch, length, width) = (x.shape[0], x.shape[1], x.shape[2]);
        var parts = c_attn.call(ln_1.call(x)).view(batch, length, 3, heads, width / heads).permute(2, 0, 3, 1, 4).unbind(0);
        var key = cat(new[] { past.Item1, parts[1] }, dim: 2);
        var value = cat(new[] { past.Item2, parts[2] }, dim: 2);
        var attended = functional.scaled_dot_product_attention(parts[0], key, value);
        x = x + c_proj.call(attended.transpose(1, 2).reshape(batch, length, width));
        return (x + mlp.call(ln_2.call(x)), (key, value));
    }
}
