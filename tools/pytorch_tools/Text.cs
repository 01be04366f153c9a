using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Text;

/// <summary>A tag for each word of a sentence, by a bidirectional LSTM.</summary>
public class Tagger : Module<Tensor, Tensor>
{
    private readonly Embedding embedding;
    private readonly LSTM lstm;
    private readonly Dropout dropout;
    private readonly Linear tag;

    public Tagger(int words = 50, int width = 16, int hidden = 12, int tags = 5, double p = 0.2) : base(nameof(Tagger))
    {
        embedding = Embedding(words, width);
        lstm = LSTM(width, hidden, batchFirst: true, bidirectional: true);
        dropout = Dropout(p);
        tag = Linear(2 * hidden, tags);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var (output, _, _) = lstm.call(embedding.call(input));
        return tag.call(dropout.call(output));
    }
}

/// <summary>A GPT whose output layer has the weight of its embedding.</summary>
public class Gpt : Module<Tensor, Tensor>
{
    private readonly Embedding wte;
    private readonly Embedding wpe;
    private readonly Dropout drop;
    private readonly ModuleList<Block> h;
    private readonly LayerNorm ln_f;
    private readonly Linear lm_head;

    public Gpt(int words = 50, int context = 32, int layers = 2, int heads = 4, int width = 32, double p = 0.1) : base(nameof(Gpt))
    {
        wte = Embedding(words, width);
        wpe = Embedding(context, width);
        drop = Dropout(p);
        h = new ModuleList<Block>(Enumerable.Range(0, layers).Select(_ => new Block(heads, width, p)).ToArray());
        ln_f = LayerNorm(width);
        lm_head = Linear(width, words, hasBias: false);
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
    private readonly LayerNorm ln_1;
    private readonly Attention attn;
    private readonly LayerNorm ln_2;
    private readonly Mlp mlp;

    public Block(int heads, int width, double p) : base(nameof(Block))
    {
        ln_1 = LayerNorm(width);
        attn = new Attention(heads, width);
        ln_2 = LayerNorm(width);
        mlp = new Mlp(width, p);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = x + attn.call(ln_1.call(x));
        return x + mlp.call(ln_2.call(x));
    }
}

/// <summary>Each word attends to those before it and to itself.</summary>
public class Attention : Module<Tensor, Tensor>
{
    private readonly Linear c_attn;
    private readonly Linear c_proj;
    private readonly int heads;

    public Attention(int heads, int width) : base(nameof(Attention))
    {
        this.heads = heads;
        c_attn = Linear(width, 3 * width);
        c_proj = Linear(width, width);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var parts = c_attn.call(x).unflatten(-1, new long[] { 3, heads, -1 }).transpose(1, 3).unbind(2);
        var y = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_casual: true);
        return c_proj.call(y.transpose(1, 2).flatten(2));
    }
}

/// <summary>Four times as wide inside.</summary>
public class Mlp : Module<Tensor, Tensor>
{
    private readonly Linear c_fc;
    private readonly GELU gelu = GELU();
    private readonly Linear c_proj;
    private readonly Dropout dropout;

    public Mlp(int width, double p) : base(nameof(Mlp))
    {
        c_fc = Linear(width, 4 * width);
        c_proj = Linear(4 * width, width);
        dropout = Dropout(p);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => dropout.call(c_proj.call(gelu.call(c_fc.call(x))));
}
