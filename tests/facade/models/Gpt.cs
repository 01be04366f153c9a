using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>
/// A GPT whose output layer has the weight of its embedding. It takes the keys and values of what came before, and gives those of all.
/// </summary>
public class Gpt : Module<Tensor, List<(Tensor, Tensor)>?, (Tensor logits, List<(Tensor, Tensor)> present)>
{
    private readonly Embedding wte;
    private readonly Embedding wpe;
    private readonly Dropout drop;
    private readonly ModuleList<GptBlock> h;
    private readonly LayerNorm ln_f;
    private readonly Linear lm_head;

    public Gpt(int vocabSize, int blockSize, int nLayer, int nHead, int nEmbd, double dropout = 0.1) : base(nameof(Gpt))
    {
        wte = Embedding(vocabSize, nEmbd);
        wpe = Embedding(blockSize, nEmbd);
        drop = Dropout(dropout);
        h = new ModuleList<GptBlock>(Enumerable.Range(0, nLayer).Select(_ => new GptBlock(nHead, nEmbd, dropout)).ToArray());
        ln_f = LayerNorm(nEmbd);
        lm_head = Linear(nEmbd, vocabSize, hasBias: false);
        RegisterComponents();
        lm_head.weight = wte.weight;
        apply(InitWeights);
    }

    private static void InitWeights(Module module)
    {
        switch (module)
        {
            case Linear linear:
                init.normal_(linear.weight!, mean: 0.0, std: 0.02);
                if (linear.bias is not null)
                    init.zeros_(linear.bias);
                break;
            case Embedding embedding:
                init.normal_(embedding.weight!, mean: 0.0, std: 0.02);
                break;
        }
    }

    public override (Tensor logits, List<(Tensor, Tensor)> present) forward(Tensor ids, List<(Tensor, Tensor)>? past)
    {
        var seen = past is null ? 0 : past[0].Item1.shape[2];
        var pos = arange(seen, seen + ids.shape[1], dtype: ScalarType.Int64, device: ids.device);
        var x = drop.call(wte.call(ids) + wpe.call(pos));
        var present = new List<(Tensor, Tensor)>();
        for (int i = 0; i < h.Count; i++)
        {
            (x, var cache) = h[i].call(x, past?[i]);
            present.Add(cache);
        }
        return (lm_head.call(ln_f.call(x)), present);
    }
}

/// <summary>Attention and a feed-forward layer, each after a norm.</summary>
public class GptBlock : Module<Tensor, (Tensor, Tensor)?, (Tensor, (Tensor, Tensor))>
{
    private readonly LayerNorm ln_1;
    private readonly CausalSelfAttention attn;
    private readonly LayerNorm ln_2;
    private readonly Mlp mlp;

    public GptBlock(int nHead, int nEmbd, double dropout) : base(nameof(GptBlock))
    {
        ln_1 = LayerNorm(nEmbd);
        attn = new CausalSelfAttention(nHead, nEmbd);
        ln_2 = LayerNorm(nEmbd);
        mlp = new Mlp(nEmbd, dropout);
        RegisterComponents();
    }

    public override (Tensor, (Tensor, Tensor)) forward(Tensor x, (Tensor, Tensor)? past)
    {
        var (attended, present) = attn.call(ln_1.call(x), past);
        x = x + attended;
        return (x + mlp.call(ln_2.call(x)), present);
    }
}

/// <summary>Keys and values are those of the past and of the new tokens.</summary>
public class CausalSelfAttention : Module<Tensor, (Tensor, Tensor)?, (Tensor, (Tensor, Tensor))>
{
    private readonly Linear c_attn;
    private readonly Linear c_proj;
    private readonly int n_head;
    private readonly long n_embd;

    public CausalSelfAttention(int nHead, int nEmbd) : base(nameof(CausalSelfAttention))
    {
        (n_head, n_embd) = (nHead, nEmbd);
        c_attn = Linear(nEmbd, 3 * nEmbd);
        c_proj = Linear(nEmbd, nEmbd);
        RegisterComponents();
    }

    public override (Tensor, (Tensor, Tensor)) forward(Tensor x, (Tensor, Tensor)? past)
    {
        var (B, T, C) = (x.shape[0], x.shape[1], x.shape[2]);
        var qkv = c_attn.call(x).split(n_embd, dim: 2);
        var q = qkv[0].view(B, T, n_head, C / n_head).transpose(1, 2);
        var k = qkv[1].view(B, T, n_head, C / n_head).transpose(1, 2);
        var v = qkv[2].view(B, T, n_head, C / n_head).transpose(1, 2);
        if (past is var (pastKeys, pastValues))
        {
            k = cat(new[] { pastKeys, k }, dim: 2);
            v = cat(new[] { pastValues, v }, dim: 2);
        }
        var all = k.shape[2];
        var mask = ones(T, all, dtype: ScalarType.Bool, device: x.device).tril(all - T);
        var att = q.matmul(k.transpose(-2, -1)) * (1.0 / Math.Sqrt(C / n_head));
        att = att.masked_fill(mask.logical_not(), double.NegativeInfinity);
        att = functional.softmax(att, dim: -1);
        var y = att.matmul(v).transpose(1, 2).contiguous().view(B, T, C);
        return (c_proj.call(y), (k, v));
    }
}

/// <summary>Four times as wide inside.</summary>
public class Mlp : Module<Tensor, Tensor>
{
    private readonly Linear c_fc;
    private readonly GELU gelu;
    private readonly Linear c_proj;
    private readonly Dropout dropout;

    public Mlp(int nEmbd, double dropout) : base(nameof(Mlp))
    {
        c_fc = Linear(nEmbd, 4 * nEmbd);
        gelu = GELU(TorchSharp.Modules.GELU.Approximate.tanh);
        c_proj = Linear(4 * nEmbd, nEmbd);
        this.dropout = Dropout(dropout);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => dropout.call(c_proj.call(gelu.call(c_fc.call(x))));
}
