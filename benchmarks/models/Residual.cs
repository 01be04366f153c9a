using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>Transformer blocks: attention to all tokens, and a feed-forward layer, each beside a shortcut.</summary>
public sealed class Residual : Module<Tensor, Tensor>
{
    private readonly Sequential blocks = Sequential();

    public Residual(long heads, long width, int count) : base(nameof(Residual))
    {
        for (var i = 0; i < count; i++) blocks.append(new ResidualBlock(heads, width));
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => blocks.call(input);
}

/// <summary>Attention to all tokens, and a feed-forward layer.</summary>
public sealed class ResidualBlock : Module<Tensor, Tensor>
{
    private readonly long heads;
    private readonly LayerNorm norm1;
    private readonly Linear qkv;
    private readonly Linear projection;
    private readonly LayerNorm norm2;
    private readonly Linear wide;
    private readonly Linear narrow;

    public ResidualBlock(long heads, long width) : base(nameof(ResidualBlock))
    {
        this.heads = heads;
        norm1 = LayerNorm(width);
        qkv = Linear(width, 3 * width);
        projection = Linear(width, width);
        norm2 = LayerNorm(width);
        wide = Linear(width, 4 * width);
        narrow = Linear(4 * width, width);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var (batch, length, width) = (x.shape[0], x.shape[1], x.shape[2]);
        var parts = qkv.call(norm1.call(x)).view(batch, length, 3, heads, width / heads).permute(2, 0, 3, 1, 4).unbind(0);
        var attended = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2]);
        x = x + projection.call(attended.transpose(1, 2).reshape(batch, length, width));
        return x + narrow.call(functional.gelu(wide.call(norm2.call(x))));
    }
}
