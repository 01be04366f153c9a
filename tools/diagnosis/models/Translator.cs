using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Reads a sentence in both directions, and writes another word by word, looking at what it read.</summary>
public class Translator : Module<Tensor, Tensor, Tensor, (Tensor logits, Tensor looked)>
{
    private readonly Reader reader = new Reader();
    private readonly Writer writer = new Writer();

    public Translator() : base(nameof(Translator)) { RegisterComponents(); }

    public override (Tensor logits, Tensor looked) forward(Tensor source, Tensor target, Tensor real)
    {
        var (read, state) = reader.call(source, real);
        return writer.call(target, read, state, real);
    }
}

/// <summary>Words and what stands around them.</summary>
public class Reader : Module<Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Embedding words = Embedding(11, 6, padding_idx: 0);
    private readonly Dropout dropout = Dropout(0.1);
    private readonly GRU gru = GRU(6, 6, batchFirst: true, bidirectional: true);
    private readonly Linear joined = Linear(12, 6);

    public Reader() : base(nameof(Reader)) { RegisterComponents(); }

    public override (Tensor, Tensor) forward(Tensor source, Tensor real)
    {
        var embedded = dropout.call(words.call(source));
        var (states, last) = gru.call(embedded);
        states = states * real.unsqueeze(-1).to_type(ScalarType.Float32);
        var both = cat(new[] { last.select(0, 0), last.select(0, 1) }, dim: 1);
        var state = joined.call(both).tanh();
        return (states, state);
    }
}

/// <summary>How much each word that was read counts.</summary>
public class Looking : Module<Tensor, Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Linear query = Linear(6, 6, hasBias: false);
    private readonly Linear key = Linear(12, 6, hasBias: false);
    private readonly Linear score = Linear(6, 1, hasBias: false);

    public Looking() : base(nameof(Looking)) { RegisterComponents(); }

    public override (Tensor, Tensor) forward(Tensor state, Tensor read, Tensor real)
    {
        var energy = (query.call(state).unsqueeze(1) + key.call(read)).tanh();
        var scores = score.call(energy).squeeze(-1);
        scores = scores.masked_fill(real.logical_not(), -1e9);
        var shares = functional.softmax(scores, dim: 1);
        var context = shares.unsqueeze(1).bmm(read).squeeze(1);
        return (context, shares);
    }
}

/// <summary>One word after the other.</summary>
public class Writer : Module<Tensor, Tensor, Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Embedding words = Embedding(11, 6);
    private readonly Looking looking = new Looking();
    private readonly GRUCell cell = GRUCell(18, 6);
    private readonly LayerNorm norm = LayerNorm(6);
    private readonly Linear head = Linear(18, 11);

    public Writer() : base(nameof(Writer)) { RegisterComponents(); }

    public override (Tensor, Tensor) forward(Tensor target, Tensor read, Tensor state, Tensor real)
    {
        var embedded = words.call(target);
        var outputs = new List<Tensor>();
        var looked = new List<Tensor>();
        for (long step = 0; step < target.shape[1]; step++)
        {
            var word = embedded.select(1, step);
            var (context, shares) = looking.call(state, read, real);
            state = cell.call(cat(new[] { word, context }, dim: -1), state);
            var known = norm.call(state);
            outputs.Add(head.call(cat(new[] { known, context }, dim: -1)));
            looked.Add(shares);
        }
        return (stack(outputs, dim: 1), stack(looked, dim: 1));
    }
}
