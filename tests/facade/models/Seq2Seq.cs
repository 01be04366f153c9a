using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>An encoder and a decoder with attention, whose modules take one argument to four.</summary>
public class Seq2Seq : Module<Tensor, Tensor, Tensor, Tensor>
{
    private readonly SourceEncoder encoder;
    private readonly StateBridge bridge;
    private readonly TargetDecoder decoder;

    public Seq2Seq(long vocabulary, long width) : base(nameof(Seq2Seq))
    {
        encoder = new SourceEncoder(vocabulary, width);
        bridge = new StateBridge(width);
        decoder = new TargetDecoder(vocabulary, width);
        RegisterComponents();
    }

    public override Tensor forward(Tensor source, Tensor target, Tensor mask)
    {
        var (memory, last) = encoder.call(source);
        var state = bridge.call(last, mask);
        return decoder.call(target, state, memory, mask);
    }
}

/// <summary>One argument.</summary>
public class SourceEncoder : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Embedding embedding;
    private readonly GRU gru;

    public SourceEncoder(long vocabulary, long width) : base(nameof(SourceEncoder))
    {
        embedding = Embedding(vocabulary, width);
        gru = GRU(width, width, batchFirst: true);
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor source)
    {
        var (output, hidden) = gru.call(embedding.call(source));
        return (output, hidden[-1]);
    }
}

/// <summary>Two arguments.</summary>
public class StateBridge : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear project;

    public StateBridge(long width) : base(nameof(StateBridge))
    {
        project = Linear(width, width);
        RegisterComponents();
    }

    public override Tensor forward(Tensor last, Tensor mask)
    {
        var share = mask.to_type(last.dtype).mean(new long[] { 1 }, keepdim: true);
        return tanh(project.call(last * share));
    }
}

/// <summary>Four arguments.</summary>
public class TargetDecoder : Module<Tensor, Tensor, Tensor, Tensor, Tensor>
{
    private readonly Embedding embedding;
    private readonly GRUCell cell;
    private readonly AdditiveAttention attention;
    private readonly Linear output;

    public TargetDecoder(long vocabulary, long width) : base(nameof(TargetDecoder))
    {
        embedding = Embedding(vocabulary, width);
        cell = GRUCell(2 * width, width);
        attention = new AdditiveAttention(width);
        output = Linear(width, vocabulary);
        RegisterComponents();
    }

    public override Tensor forward(Tensor target, Tensor state, Tensor memory, Tensor mask)
    {
        var embedded = embedding.call(target);
        var logits = new List<Tensor>();
        for (long step = 0; step < target.shape[1]; step++)
        {
            var context = attention.call(state, memory, mask);
            state = cell.call(cat(new[] { embedded.select(1, step), context }, 1), state);
            logits.Add(output.call(state));
        }
        return stack(logits, dim: 1);
    }
}

/// <summary>Three arguments.</summary>
public class AdditiveAttention : Module<Tensor, Tensor, Tensor, Tensor>
{
    private readonly Linear w_query;
    private readonly Linear w_key;
    private readonly Linear v;

    public AdditiveAttention(long width) : base(nameof(AdditiveAttention))
    {
        w_query = Linear(width, width, hasBias: false);
        w_key = Linear(width, width, hasBias: false);
        v = Linear(width, 1, hasBias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor query, Tensor keys, Tensor mask)
    {
        var scores = v.call(tanh(w_query.call(query).unsqueeze(1) + w_key.call(keys))).squeeze(-1);
        scores = scores.masked_fill(mask.logical_not(), float.NegativeInfinity);
        return functional.softmax(scores, 1).unsqueeze(1).bmm(keys).squeeze(1);
    }
}
