using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Reads a sentence in both directions, and writes another word by word, looking at what it read.</summary>
public class Translator : Module<Tensor, Tensor, Tensor, (Tensor logits, Tensor looked)>
{
    private readonly Reader reader;
    private readonly Writer writer;

    public Translator(long vocabulary, long width) : base(nameof(Translator))
    {
        reader = new Reader(vocabulary, width);
        writer = new Writer(vocabulary, width);
        RegisterComponents();
    }

    public override (Tensor logits, Tensor looked) forward(Tensor source, Tensor target, Tensor real)
    {
        var (read, state) = reader.call(source, real);
        return writer.call(target, read, state, real);
    }
}

/// <summary>Words and what stands around them.</summary>
public class Reader : Module<Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Embedding words;
    private readonly Dropout dropout;
    private readonly GRU gru;
    private readonly Linear joined;

    public Reader(long vocabulary, long width) : base(nameof(Reader))
    {
        words = Embedding(vocabulary, width, padding_idx: 0);
        dropout = Dropout(0.1);
        gru = GRU(width, width, batchFirst: true, bidirectional: true);
        joined = Linear(2 * width, width);
        RegisterComponents();
    }

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
    private readonly Linear query;
    private readonly Linear key;
    private readonly Linear score;

    public Looking(long width) : base(nameof(Looking))
    {
        query = Linear(width, width, hasBias: false);
        key = Linear(2 * width, width, hasBias: false);
        score = Linear(width, 1, hasBias: false);
        RegisterComponents();
    }

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
    private readonly Embedding words;
    private readonly Looking looking;
    private readonly GRUCell cell;
    private readonly LayerNorm norm;
    private readonly Linear head;

    public Writer(long vocabulary, long width) : base(nameof(Writer))
    {
        words = Embedding(vocabulary, width);
        looking = new Looking(width);
        cell = GRUCell(3 * width, width);
        norm = LayerNorm(width);
        head = Linear(3 * width, vocabulary);
        RegisterComponents();
    }

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
