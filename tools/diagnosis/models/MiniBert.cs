using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>An encoder of sentences: embeddings, two layers of attention, and a summary of the first word.</summary>
public class MiniBert : Module<Tensor, Tensor, (Tensor sequence, Tensor pooled)>
{
    private readonly Embeddings embeddings = new Embeddings();
    private readonly ModuleList<Layer> layers = new ModuleList<Layer>(new Layer(), new Layer());
    private readonly Linear pooler = Linear(8, 8);

    public MiniBert() : base(nameof(MiniBert)) { RegisterComponents(); }

    public override (Tensor sequence, Tensor pooled) forward(Tensor ids, Tensor mask)
    {
        var bias = (1.0 - mask.unsqueeze(1).unsqueeze(2).to_type(ScalarType.Float32)) * -10000.0;
        var hidden = embeddings.call(ids);
        for (int i = 0; i < layers.Count; i++)
        {
            hidden = layers[i].call(hidden, bias);
        }
        var first = hidden.select(1, 0);
        return (hidden, pooler.call(first).tanh());
    }
}

/// <summary>Words, their places and the sentence they are in.</summary>
public class Embeddings : Module<Tensor, Tensor>
{
    private readonly Embedding words = Embedding(11, 8, padding_idx: 0);
    private readonly Embedding places = Embedding(16, 8);
    private readonly Embedding kinds = Embedding(2, 8);
    private readonly LayerNorm norm = LayerNorm(8, eps: 1e-12);
    private readonly Dropout dropout = Dropout(0.1);

    public Embeddings() : base(nameof(Embeddings)) { RegisterComponents(); }

    public override Tensor forward(Tensor ids)
    {
        var positions = arange(ids.shape[1], dtype: ScalarType.Int64, device: ids.device);
        var x = words.call(ids) + kinds.call(zeros_like(ids));
        x = x + places.call(positions).unsqueeze(0);
        return dropout.call(norm.call(x));
    }
}

/// <summary>Attention and what follows it, each added to what went in and then normed.</summary>
public class Layer : Module<Tensor, Tensor, Tensor>
{
    private readonly SelfAttention attention = new SelfAttention();
    private readonly Linear dense = Linear(8, 8);
    private readonly LayerNorm norm1 = LayerNorm(8, eps: 1e-12);
    private readonly Linear intermediate = Linear(8, 16);
    private readonly Linear output = Linear(16, 8);
    private readonly LayerNorm norm2 = LayerNorm(8, eps: 1e-12);
    private readonly Dropout dropout = Dropout(0.1);

    public Layer() : base(nameof(Layer)) { RegisterComponents(); }

    public override Tensor forward(Tensor x, Tensor bias)
    {
        var attended = dropout.call(dense.call(attention.call(x, bias)));
        x = norm1.call(attended + x);
        var inner = functional.gelu(intermediate.call(x));
        inner = dropout.call(output.call(inner));
        return norm2.call(inner + x);
    }
}

/// <summary>Every word looks at every other one, in several heads.</summary>
public class SelfAttention : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear query = Linear(8, 8);
    private readonly Linear key = Linear(8, 8);
    private readonly Linear value = Linear(8, 8);
    private readonly Dropout dropout = Dropout(0.2);
    private const long heads = 2;

    public SelfAttention() : base(nameof(SelfAttention)) { RegisterComponents(); }

    private Tensor Split(Tensor x)
    {
        return x.view(x.shape[0], x.shape[1], heads, -1).permute(0, 2, 1, 3);
    }

    public override Tensor forward(Tensor x, Tensor bias)
    {
        var q = Split(query.call(x));
        var k = Split(key.call(x));
        var v = Split(value.call(x));
        var scores = q.matmul(k.transpose(-1, -2)) / Math.Sqrt(q.shape[3]);
        scores = scores + bias;
        var weights = dropout.call(functional.softmax(scores, dim: -1));
        var context = weights.matmul(v).permute(0, 2, 1, 3).contiguous();
        return context.view(x.shape[0], x.shape[1], -1);
    }
}
