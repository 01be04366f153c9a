using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>One step of an LSTM, from its state to the next.</summary>
public sealed class LstmStep : Module<Tensor, (Tensor, Tensor), (Tensor, (Tensor, Tensor))>
{
    private readonly LSTM lstm;
    private readonly Linear head;

    public LstmStep(long inputs, long hidden, long layers) : base(nameof(LstmStep))
    {
        lstm = LSTM(inputs, hidden, numLayers: layers);
        head = Linear(hidden, inputs);
        RegisterComponents();
    }

    public override (Tensor, (Tensor, Tensor)) forward(Tensor input, (Tensor, Tensor) state)
    {
        var (output, hidden, cell) = lstm.call(input, state);
        return (head.call(output), (hidden, cell));
    }
}

/// <summary>A transformer encoder over a few tokens, with its mask.</summary>
public sealed class TransformerStep : Module<Tensor, Tensor, Tensor>
{
    private readonly TransformerEncoder encoder;
    private readonly Linear head;

    public TransformerStep(long width, long heads, long layers) : base(nameof(TransformerStep))
    {
        encoder = TransformerEncoder(TransformerEncoderLayer(width, heads, 4 * width), layers);
        head = Linear(width, width);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input, Tensor mask) => head.call(encoder.call(input, mask, null!));
}
