using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Words for what was seen: each looks at the words before it, which may be kept from earlier calls, and at the picture.</summary>
public class Captioner : Module<Tensor, Tensor, (Tensor, Tensor)?, (Tensor logits, (Tensor, Tensor) kept)>
{
    private readonly Conv2d patches = Conv2d(3, 8, 3, stride: 3);
    private readonly Embedding words = Embedding(11, 8);
    private readonly Parameter places = new Parameter(randn(1, 12, 8) * 0.1);
    private readonly Attending self = new Attending();
    private readonly Attending cross = new Attending();
    private readonly LayerNorm norm = LayerNorm(8);
    private readonly Sequential feed = Sequential(Linear(8, 16), GELU(), Linear(16, 8));
    private readonly Dropout dropout = Dropout(0.1);
    private readonly Linear head = Linear(8, 11);

    public Captioner() : base(nameof(Captioner)) { RegisterComponents(); }

    public override (Tensor logits, (Tensor, Tensor) kept) forward(Tensor image, Tensor ids, (Tensor, Tensor)? past)
    {
        var seen = patches.call(image).flatten(2).transpose(1, 2);
        var start = past is null ? 0L : past.Value.Item1.shape[2];
        var length = ids.shape[1];
        var x = words.call(ids) + places.narrow(1, start, length);
        var before = arange(start + length).unsqueeze(0) <= arange(start, start + length).unsqueeze(1);
        var (own, keys, values) = self.call(norm.call(x), null, past, before);
        x = x + dropout.call(own);
        var (other, _, _) = cross.call(norm.call(x), seen, null, null);
        x = x + dropout.call(other);
        x = x + dropout.call(feed.call(norm.call(x)));
        return (head.call(x), (keys, values));
    }
}

/// <summary>Attention to oneself, or to a memory.</summary>
public class Attending : Module<Tensor, Tensor?, (Tensor, Tensor)?, Tensor?, (Tensor, Tensor, Tensor)>
{
    private readonly Linear query = Linear(8, 8);
    private readonly Linear key = Linear(8, 8);
    private readonly Linear value = Linear(8, 8);
    private readonly Linear output = Linear(8, 8);
    private const long heads = 2;

    public Attending() : base(nameof(Attending)) { RegisterComponents(); }

    private Tensor Split(Tensor x) => x.unflatten(-1, heads, x.shape[2] / heads).transpose(1, 2);

    private static Tensor Join(Tensor x) => x.transpose(1, 2).flatten(2);

    public override (Tensor, Tensor, Tensor) forward(Tensor x, Tensor? memory, (Tensor, Tensor)? past, Tensor? allowed)
    {
        var looked = memory is null ? x : memory;
        var q = Split(query.call(x));
        var k = Split(key.call(looked));
        var v = Split(value.call(looked));
        if (past is not null)
        {
            k = cat(new[] { past.Value.Item1, k }, 2);
            v = cat(new[] { past.Value.Item2, v }, 2);
        }
        var scores = q.matmul(k.mT) * Math.Pow(q.shape[3], -0.5);
        if (allowed is not null)
        {
            scores = where(allowed, scores, full_like(scores, -1e4));
        }
        var weights = (scores - scores.amax(new long[] { -1 }, keepdim: true)).exp();
        weights = weights / weights.sum(-1, keepdim: true);
        return (output.call(Join(weights.matmul(v))), k, v);
    }
}
