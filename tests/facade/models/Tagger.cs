using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A tag for each word, by a bidirectional LSTM; the second result is its state.</summary>
public class Tagger : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Embedding word_embeddings;
    private readonly LSTM lstm;
    private readonly Dropout dropout = Dropout(0.2);
    private readonly Linear hidden2tag;

    public Tagger(int vocabulary, int embedding, int hidden, int tags) : base(nameof(Tagger))
    {
        word_embeddings = Embedding(vocabulary, embedding, padding_idx: 0);
        lstm = LSTM(embedding, hidden, numLayers: 2, batchFirst: true, dropout: 0.1, bidirectional: true);
        hidden2tag = Linear(2 * hidden, tags);
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor sentence)
    {
        var embeds = word_embeddings.call(sentence);
        var (output, hidden, cell) = lstm.call(embeds);
        (output, hidden, cell) = lstm.call(dropout.call(embeds), (hidden, cell));
        return (functional.log_softmax(hidden2tag.call(output), -1), hidden);
    }
}
