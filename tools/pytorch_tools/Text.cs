using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Text;

/// <summary>A tag for each word of a sentence, by a bidirectional LSTM.</summary>
public class Tagger : Module<Tensor, Tensor>
{
    private readonly Embedding embedding = Embedding(50, 16);
    private readonly LSTM lstm = LSTM(16, 12, batchFirst: true, bidirectional: true);
    private readonly Dropout dropout = Dropout(0.2);
    private readonly Linear tag = Linear(24, 5);

    public Tagger() : base(nameof(Tagger)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var (output, _, _) = lstm.call(embedding.call(input));
        return tag.call(dropout.call(output));
    }
}

/// <summary>A GPT whose output layer has the weight of its embedding.</summary>
public class Gpt : Module<Tensor, Tensor>
{
    private readonly Embedding wte = Embedding(50, 32);
    private readonly Embedding wpe = Embedding(32, 32);
    private readonly Dropout drop = Dropout(0.1);
    private readonly ModuleList<Block> h = new(new Block(), new Block());
    private readonly LayerNorm ln_f = LayerNorm(32);
    private readonly Linear lm_head = Linear(32, 50, hasBias: false);

    public Gpt() : base(nameof(Gpt))
    {
        RegisterComponents();
        lm_head.weight = wte.weight;
    }

    public override Tensor forward(Tensor input)
    {
        var positions = arange(input.shape[1], device: input.device).expand_as(input);
        var x = drop.call(wte.call(input) + wpe.call(positions));
        foreach (var block in h)
            x = block.call(x);
        return lm_head.call(ln_f.call(x));
    }
}

/// <summary>Attention and a feed-forward layer, each after a norm.</summary>
public class Block : Module<Tensor, Tensor>
{
    private readonly LayerNorm ln_1 = LayerNorm(32);
    private readonly Attention attn = new();
    private readonly LayerNorm ln_2 = LayerNorm(32);
    private readonly Mlp mlp = new();

    public Block() : base(nameof(Block)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        x = x + attn.call(ln_1.call(x));
        return x + mlp.call(ln_2.call(x));
    }
}

/// <summary>Causal self-attention with four heads.</summary>
public class Attention : Module<Tensor, Tensor>
{
    private readonly Linear c_attn = Linear(32, 96);
    private readonly Linear c_proj = Linear(32, 32);

    public Attention() : base(nameof(Attention)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var parts = c_attn.call(x).unflatten(-1, new long[] { 3, 4, -1 }).transpose(1, 3).unbind(2);
        var y = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_casual: true);
        return c_proj.call(y.transpose(1, 2).flatten(2));
    }
}

/// <summary>A feed-forward layer, four times as wide inside.</summary>
public class Mlp : Module<Tensor, Tensor>
{
    private readonly Linear c_fc = Linear(32, 128);
    private readonly GELU gelu = GELU();
    private readonly Linear c_proj = Linear(128, 32);
    private readonly Dropout dropout = Dropout(0.1);

    public Mlp() : base(nameof(Mlp)) => RegisterComponents();

    public override Tensor forward(Tensor x) => dropout.call(c_proj.call(gelu.call(c_fc.call(x))));
}
