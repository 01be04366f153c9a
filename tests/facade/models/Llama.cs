using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A decoder of one block. What a forward makes on the way is disposed of where it ends.</summary>
public class Llama : Module<Tensor, Tensor>
{
    private readonly Embedding embed_tokens;
    private readonly LlamaBlock layer;
    private readonly RMSNorm norm;
    [ComponentName(Name = "lm_head")]
    private readonly Linear output;

    public Llama(long vocabulary, long width, long heads, long keyValueHeads) : base(nameof(Llama))
    {
        embed_tokens = Embedding(vocabulary, width);
        layer = new LlamaBlock(width, heads, keyValueHeads, context: 32);
        norm = new RMSNorm(width);
        output = Linear(width, vocabulary, hasBias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor ids)
    {
        using var scope = NewDisposeScope();
        var hidden = embed_tokens.call(ids);
        hidden = layer.call(hidden, 0);
        return output.call(norm.call(hidden)).MoveToOuterDisposeScope();
    }
}

/// <summary>Attention and a gated feed-forward layer, each after a norm.</summary>
public class LlamaBlock : Module<Tensor, int, Tensor>
{
    private readonly RMSNorm input_layernorm;
    private readonly RotaryAttention self_attn;
    private readonly RMSNorm post_attention_layernorm;
    private readonly FeedForward mlp;

    public LlamaBlock(long width, long heads, long keyValueHeads, long context) : base(nameof(LlamaBlock))
    {
        input_layernorm = new RMSNorm(width);
        self_attn = new RotaryAttention(width, heads, keyValueHeads, context);
        post_attention_layernorm = new RMSNorm(width);
        mlp = new FeedForward(width, 2 * width);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x, int start)
    {
        using (var scope = NewDisposeScope())
        {
            x = x + self_attn.call(input_layernorm.call(x), start);
            var result = x + mlp.call(post_attention_layernorm.call(x));
            return scope.MoveToOuter(result);
        }
    }
}

/// <summary>Grouped queries, with positions as rotations of pairs.</summary>
public class RotaryAttention : Module<Tensor, int, Tensor>
{
    private readonly Linear q_proj;
    private readonly Linear k_proj;
    private readonly Linear v_proj;
    private readonly Linear o_proj;
    private readonly long heads;
    private readonly long keyValueHeads;
    private readonly long size;

    public RotaryAttention(long width, long heads, long keyValueHeads, long context) : base(nameof(RotaryAttention))
    {
        this.heads = heads;
        this.keyValueHeads = keyValueHeads;
        size = width / heads;
        q_proj = Linear(width, heads * size, hasBias: false);
        k_proj = Linear(width, keyValueHeads * size, hasBias: false);
        v_proj = Linear(width, keyValueHeads * size, hasBias: false);
        o_proj = Linear(heads * size, width, hasBias: false);
        var frequencies = 1.0f / torch.pow(10000.0f, arange(0, size, 2, dtype: float32) / size);
        var angles = outer(arange(context, dtype: float32), frequencies);
        angles = cat(new[] { angles, angles }, dim: -1);
        register_buffer("cos", angles.cos(), persistent: false);
        register_buffer("sin", angles.sin(), persistent: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x, int start)
    {
        using var _ = NewDisposeScope();
        var (batch, length) = (x.size(0), x.size(1));
        var q = q_proj.call(x).view(batch, length, heads, size).transpose(1, 2);
        var k = k_proj.call(x).view(batch, length, keyValueHeads, size).transpose(1, 2);
        var v = v_proj.call(x).view(batch, length, keyValueHeads, size).transpose(1, 2);
        var cos = get_buffer("cos").narrow(0, start, length);
        var sin = get_buffer("sin").narrow(0, start, length);
        q = q * cos + RotateHalf(q) * sin;
        k = k * cos + RotateHalf(k) * sin;
        var groups = heads / keyValueHeads;
        k = k.repeat_interleave(groups, dim: 1);
        v = v.repeat_interleave(groups, dim: 1);
        var attended = functional.scaled_dot_product_attention(q, k, v, is_casual: true);
        attended = attended.transpose(1, 2).reshape(batch, length, -1);
        return o_proj.call(attended).MoveToOuterDisposeScope();
    }

    private static Tensor RotateHalf(Tensor x)
    {
        var halves = x.chunk(2, dim: -1);
        return cat(new[] { -halves[1], halves[0] }, dim: -1);
    }
}

/// <summary>A norm without a mean, in single precision whatever the input is.</summary>
public class RMSNorm : Module<Tensor, Tensor>
{
    private readonly Parameter weight;
    private readonly double eps;

    public RMSNorm(long width, double eps = 1e-6) : base(nameof(RMSNorm))
    {
        weight = Parameter(ones(width));
        this.eps = eps;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        using var scope = NewDisposeScope();
        var single = x.to(ScalarType.Float32);
        var variance = single.pow(2).mean(new long[] { -1 }, keepdim: true);
        return (weight * (single * rsqrt(variance + eps)).type_as(x)).MoveToOuterDisposeScope();
    }
}

/// <summary>SwiGLU.</summary>
public class FeedForward : Module<Tensor, Tensor>
{
    private readonly Linear gate_proj;
    private readonly Linear up_proj;
    private readonly Linear down_proj;

    public FeedForward(long width, long hidden) : base(nameof(FeedForward))
    {
        gate_proj = Linear(width, hidden, hasBias: false);
        up_proj = Linear(width, hidden, hasBias: false);
        down_proj = Linear(hidden, width, hasBias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        using var scope = NewDisposeScope();
        var gated = functional.silu(gate_proj.call(x)) * up_proj.call(x);
        return down_proj.call(gated).MoveToOuterDisposeScope();
    }
}
