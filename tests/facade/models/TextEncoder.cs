using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A transformer encoder over (tokens, batch), and one query that attends to all of its results.</summary>
public class TextEncoder : Module<Tensor, Tensor, Tensor>
{
    private readonly Embedding encoder;
    private readonly PositionalEncoding pos_encoder;
    private readonly TransformerEncoder transformer_encoder;
    private readonly MultiheadAttention pool;
    private readonly Parameter query;
    private readonly Linear decoder;
    private readonly double scale;

    public TextEncoder(long ntokens, long ninputs, long nheads, long nhidden, long nlayers, double dropout = 0.1)
        : base(nameof(TextEncoder))
    {
        encoder = Embedding(ntokens, ninputs);
        pos_encoder = new PositionalEncoding(ninputs, dropout);
        var encoder_layers = TransformerEncoderLayer(ninputs, nheads, nhidden, dropout, activation: Activations.GELU);
        transformer_encoder = TransformerEncoder(encoder_layers, nlayers);
        pool = MultiheadAttention(ninputs, nheads);
        query = Parameter(randn(1, 1, ninputs) * 0.02);
        decoder = Linear(ninputs, 3);
        scale = Math.Sqrt(ninputs);
        InitWeights();
        RegisterComponents();
    }

    private void InitWeights()
    {
        var initrange = 0.1;
        init.uniform_(encoder.weight, -initrange, initrange);
        init.zeros_(decoder.bias!);
        init.uniform_(decoder.weight, -initrange, initrange);
    }

    public override Tensor forward(Tensor src, Tensor src_mask)
    {
        var x = pos_encoder.call(encoder.call(src) * scale);
        x = transformer_encoder.call(x, src_mask, null!);
        var (pooled, _) = pool.call(query.expand(1, x.shape[1], -1), x, x, null!, true, null!);
        return decoder.call(pooled.squeeze(0));
    }
}

/// <summary>Sines and cosines of positions, in a buffer.</summary>
public class PositionalEncoding : Module<Tensor, Tensor>
{
    private readonly Dropout dropout;
    private readonly Tensor pe;

    public PositionalEncoding(long dmodel, double dropout, int maxLen = 64) : base(nameof(PositionalEncoding))
    {
        this.dropout = Dropout(dropout);
        var pe = zeros(maxLen, dmodel);
        var position = arange(0, maxLen, 1, float32).unsqueeze(1);
        var divTerm = (arange(0, dmodel, 2, float32) * (-Math.Log(10000.0) / dmodel)).exp();
        pe[TensorIndex.Colon, TensorIndex.Slice(0, null, 2)] = (position * divTerm).sin();
        pe[TensorIndex.Colon, TensorIndex.Slice(1, null, 2)] = (position * divTerm).cos();
        this.pe = pe.unsqueeze(0).transpose(0, 1);
        register_buffer("pe", this.pe);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        return dropout.call(x + pe[TensorIndex.Slice(null, x.shape[0]), TensorIndex.Colon]);
    }
}
