using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Originals;

public sealed record BertConfig(long Vocabulary, long Hidden, int Layers, long Heads, long Intermediate, long Positions, double Dropout);

public sealed class BertEmbeddings : Module<Tensor, Tensor>
{
    private readonly Embedding word_embeddings;
    private readonly Embedding position_embeddings;
    private readonly Embedding token_type_embeddings;
    private readonly LayerNorm LayerNorm;
    private readonly Dropout dropout;

    public BertEmbeddings(BertConfig config) : base("BertEmbeddings")
    {
        word_embeddings = Embedding(config.Vocabulary, config.Hidden, padding_idx: 0);
        position_embeddings = Embedding(config.Positions, config.Hidden);
        token_type_embeddings = Embedding(2, config.Hidden);
        LayerNorm = torch.nn.LayerNorm(config.Hidden, eps: 1e-12);
        dropout = torch.nn.Dropout(config.Dropout);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input_ids)
    {
        var positions = arange(input_ids.shape[1], dtype: ScalarType.Int64, device: input_ids.device).unsqueeze(0);
        var embeddings = word_embeddings.call(input_ids) + token_type_embeddings.call(zeros_like(input_ids));
        embeddings = embeddings + position_embeddings.call(positions);
        return dropout.call(LayerNorm.call(embeddings));
    }
}

public sealed class BertSelfAttention : Module<Tensor, Tensor?, Tensor>
{
    private readonly Linear query;
    private readonly Linear key;
    private readonly Linear value;
    private readonly Dropout dropout;
    private readonly long heads;

    public BertSelfAttention(BertConfig config) : base("BertSelfAttention")
    {
        heads = config.Heads;
        query = Linear(config.Hidden, config.Hidden);
        key = Linear(config.Hidden, config.Hidden);
        value = Linear(config.Hidden, config.Hidden);
        dropout = Dropout(config.Dropout);
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states, Tensor? attention_mask)
    {
        var (q, k, v) = (Split(query.call(hidden_states)), Split(key.call(hidden_states)), Split(value.call(hidden_states)));
        var attended = functional.scaled_dot_product_attention(q, k, v, attention_mask, training ? dropout.p : 0.0);
        return attended.transpose(1, 2).reshape(hidden_states.shape);
    }

    private Tensor Split(Tensor x) => x.view(x.shape[0], x.shape[1], heads, x.shape[2] / heads).transpose(1, 2);
}

/// <summary>What follows both the attention and the feed-forward part: dense, dropout, residual, norm.</summary>
public sealed class BertOutput : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear dense;
    private readonly LayerNorm LayerNorm;
    private readonly Dropout dropout;

    public BertOutput(BertConfig config, long width) : base("BertOutput")
    {
        dense = Linear(width, config.Hidden);
        LayerNorm = torch.nn.LayerNorm(config.Hidden, eps: 1e-12);
        dropout = torch.nn.Dropout(config.Dropout);
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states, Tensor input_tensor) =>
        LayerNorm.call(dropout.call(dense.call(hidden_states)) + input_tensor);
}

public sealed class BertAttention : Module<Tensor, Tensor?, Tensor>
{
    private readonly BertSelfAttention self;
    private readonly BertOutput output;

    public BertAttention(BertConfig config) : base("BertAttention")
    {
        self = new BertSelfAttention(config);
        output = new BertOutput(config, config.Hidden);
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states, Tensor? attention_mask) =>
        output.call(self.call(hidden_states, attention_mask), hidden_states);
}

public sealed class BertIntermediate : Module<Tensor, Tensor>
{
    private readonly Linear dense;
    private readonly GELU intermediate_act_fn = GELU();

    public BertIntermediate(BertConfig config) : base("BertIntermediate")
    {
        dense = Linear(config.Hidden, config.Intermediate);
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states) => intermediate_act_fn.call(dense.call(hidden_states));
}

public sealed class BertLayer : Module<Tensor, Tensor?, Tensor>
{
    private readonly BertAttention attention;
    private readonly BertIntermediate intermediate;
    private readonly BertOutput output;

    public BertLayer(BertConfig config) : base("BertLayer")
    {
        attention = new BertAttention(config);
        intermediate = new BertIntermediate(config);
        output = new BertOutput(config, config.Intermediate);
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states, Tensor? attention_mask)
    {
        var attended = attention.call(hidden_states, attention_mask);
        return output.call(intermediate.call(attended), attended);
    }
}

public sealed class BertEncoder : Module<Tensor, Tensor?, Tensor>
{
    private readonly ModuleList<BertLayer> layer;

    public BertEncoder(BertConfig config) : base("BertEncoder")
    {
        layer = new ModuleList<BertLayer>(Enumerable.Range(0, config.Layers).Select(_ => new BertLayer(config)).ToArray());
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states, Tensor? attention_mask)
    {
        foreach (var one in layer)
        {
            hidden_states = one.call(hidden_states, attention_mask);
        }
        return hidden_states;
    }
}

public sealed class BertPooler : Module<Tensor, Tensor>
{
    private readonly Linear dense;
    private readonly Tanh activation = Tanh();

    public BertPooler(BertConfig config) : base("BertPooler")
    {
        dense = Linear(config.Hidden, config.Hidden);
        RegisterComponents();
    }

    public override Tensor forward(Tensor hidden_states) => activation.call(dense.call(hidden_states[TensorIndex.Colon, 0]));
}

/// <summary>The encoder without the pooler: BertModel(config, add_pooling_layer=False).</summary>
public sealed class Bert : Module<Tensor, Tensor?, Tensor>
{
    private readonly BertEmbeddings embeddings;
    private readonly BertEncoder encoder;

    public Bert(long vocabulary, long hidden, int layers, long heads, long intermediate, long positions, double dropout = 0.1)
        : base("Bert")
    {
        var config = new BertConfig(vocabulary, hidden, layers, heads, intermediate, positions, dropout);
        embeddings = new BertEmbeddings(config);
        encoder = new BertEncoder(config);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input_ids, Tensor? attention_mask = null) =>
        encoder.call(embeddings.call(input_ids), Masks.Extended(attention_mask));
}

/// <summary>With the pooler, and both results.</summary>
public sealed class BertPooled : Module<Tensor, Tensor?, (Tensor, Tensor)>
{
    private readonly BertEmbeddings embeddings;
    private readonly BertEncoder encoder;
    private readonly BertPooler pooler;

    public BertPooled(long vocabulary, long hidden, int layers, long heads, long intermediate, long positions, double dropout = 0.1)
        : base("BertPooled")
    {
        var config = new BertConfig(vocabulary, hidden, layers, heads, intermediate, positions, dropout);
        embeddings = new BertEmbeddings(config);
        encoder = new BertEncoder(config);
        pooler = new BertPooler(config);
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor input_ids, Tensor? attention_mask = null)
    {
        var hidden = encoder.call(embeddings.call(input_ids), Masks.Extended(attention_mask));
        return (hidden, pooler.call(hidden));
    }
}

internal static class Masks
{
    /// <summary>True where a query may see a key, for every query: (batch, 1, length, length). Without padding there is no mask.</summary>
    public static Tensor? Extended(Tensor? mask)
    {
        if (mask is null || mask.to(ScalarType.Bool).all().item<bool>())
        {
            return null;
        }
        var (batch, length) = (mask.shape[0], mask.shape[1]);
        return mask.to(ScalarType.Bool).view(batch, 1, 1, length).expand(batch, 1, length, length);
    }
}
