using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A decoder whose words are turned by their places, with fewer keys than queries and gated layers.</summary>
public class Rotary : Module<Tensor, Tensor>
{
    private readonly Embedding words = Embedding(11, 16);
    private readonly ModuleList<RotaryBlock> blocks = new ModuleList<RotaryBlock>(new RotaryBlock(), new RotaryBlock());
    private readonly RootNorm norm = new RootNorm(16);
    private readonly Linear head = Linear(16, 11, hasBias: false);
    private const long size = 4;

    public Rotary() : base(nameof(Rotary)) { RegisterComponents(); }

    private (Tensor, Tensor) Angles(long length)
    {
        var powers = arange(0, size, 2, dtype: ScalarType.Float32) / (double)size;
        var speeds = 1.0 / torch.pow(10000.0, powers);
        var angles = outer(arange(length, dtype: ScalarType.Float32), speeds);
        var both = cat(new[] { angles, angles }, dim: -1);
        return (both.cos(), both.sin());
    }

    public override Tensor forward(Tensor ids)
    {
        var length = ids.shape[1];
        var (cosines, sines) = Angles(length);
        var mask = full(new[] { length, length }, double.NegativeInfinity).triu(1);
        var x = words.call(ids);
        foreach (var block in blocks)
        {
            x = block.call(x, cosines, sines, mask);
        }
        return head.call(norm.call(x));
    }
}

/// <summary>Divides by the root of the mean square.</summary>
public class RootNorm : Module<Tensor, Tensor>
{
    private readonly Parameter weight;
    private readonly double eps;

    public RootNorm(long width, double eps = 1e-5) : base(nameof(RootNorm))
    {
        this.eps = eps;
        weight = new Parameter(ones(width));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var square = x.pow(2).mean(new long[] { -1 }, keepdim: true);
        return x * (square + eps).rsqrt() * weight;
    }
}

/// <summary>Attention and a gated layer, each after a norm.</summary>
public class RotaryBlock : Module<Tensor, Tensor, Tensor, Tensor, Tensor>
{
    private readonly RootNorm before = new RootNorm(16);
    private readonly RotaryAttention attention = new RotaryAttention();
    private readonly RootNorm between = new RootNorm(16, eps: 1e-6);
    private readonly Gated feed = new Gated();

    public RotaryBlock() : base(nameof(RotaryBlock)) { RegisterComponents(); }

    public override Tensor forward(Tensor x, Tensor cosines, Tensor sines, Tensor mask)
    {
        var h = x + attention.call(before.call(x), cosines, sines, mask);
        return h + feed.call(between.call(h));
    }
}

/// <summary>Several queries share a key.</summary>
public class RotaryAttention : Module<Tensor, Tensor, Tensor, Tensor, Tensor>
{
    private readonly Linear wq = Linear(16, 16, hasBias: false);
    private readonly Linear wk = Linear(16, 8, hasBias: false);
    private readonly Linear wv = Linear(16, 8, hasBias: false);
    private readonly Linear wo = Linear(16, 16, hasBias: false);
    private const long heads = 4, groups = 2;

    public RotaryAttention() : base(nameof(RotaryAttention)) { RegisterComponents(); }

    private static Tensor Half(Tensor x)
    {
        var parts = x.chunk(2, dim: -1);
        return cat(new[] { -parts[1], parts[0] }, dim: -1);
    }

    private static Tensor Turned(Tensor x, Tensor cosines, Tensor sines)
    {
        return x * cosines + Half(x) * sines;
    }

    private static Tensor Heads(Tensor x, long count)
    {
        return x.view(x.shape[0], x.shape[1], count, -1).transpose(1, 2);
    }

    public override Tensor forward(Tensor x, Tensor cosines, Tensor sines, Tensor mask)
    {
        var (batch, length) = (x.shape[0], x.shape[1]);
        var q = Turned(Heads(wq.call(x), heads), cosines, sines);
        var k = Turned(Heads(wk.call(x), groups), cosines, sines);
        var v = Heads(wv.call(x), groups);
        k = k.repeat_interleave(heads / groups, dim: 1);
        v = v.repeat_interleave(heads / groups, dim: 1);
        var scores = q.matmul(k.transpose(2, 3)) / Math.Sqrt(q.shape[3]);
        scores = scores + mask;
        var shares = functional.softmax(scores, dim: -1);
        var mixed = shares.matmul(v);
        return wo.call(mixed.transpose(1, 2).contiguous().view(batch, length, -1));
    }
}

/// <summary>One layer opens another.</summary>
public class Gated : Module<Tensor, Tensor>
{
    private readonly Linear gate = Linear(16, 32, hasBias: false);
    private readonly Linear up = Linear(16, 32, hasBias: false);
    private readonly Linear down = Linear(32, 16, hasBias: false);

    public Gated() : base(nameof(Gated)) { RegisterComponents(); }

    public override Tensor forward(Tensor x)
    {
        return down.call(functional.silu(gate.call(x)) * up.call(x));
    }
}
