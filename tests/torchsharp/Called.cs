using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using static TorchSharp.torch.nn.utils.rnn;

namespace Written;

/// <summary>A built-in that takes several tensors, or gives several, called as a child.</summary>
public sealed partial class Many : Module<Tensor[], long[], Tensor[]>
{
    private readonly Module layer;
    private readonly bool bypasses;

    /// <param name="kind">Which case.</param>
    /// <param name="bypasses"><c>forward</c> is run in place of <c>call</c>.</param>
    public Many(string kind, bool bypasses = false) : base(nameof(Many))
    {
        layer = Make(kind);
        this.bypasses = bypasses;
        RegisterComponents();
    }

    /// <param name="t">The tensors of the call, null where one is left out.</param>
    /// <param name="n">Its numbers.</param>
    public override Tensor[] forward(Tensor[] t, long[] n) => layer switch
    {
        LSTM lstm when n.Length > 1 => Packed(lstm.call(pack_padded_sequence(t[0], tensor(n)))),
        GRU gru when n.Length > 1 => Packed(gru.call(pack_padded_sequence(t[0], tensor(n)))),
        RNN rnn when n.Length > 1 => Packed(rnn.call(pack_padded_sequence(t[0], tensor(n)))),
        LSTM lstm => List(bypasses ? lstm.forward(t[0], Pair(t)) : lstm.call(t[0], Pair(t))),
        GRU gru => List(bypasses ? gru.forward(t[0], At(t, 1)) : gru.call(t[0], At(t, 1))),
        RNN rnn => List(bypasses ? rnn.forward(t[0], At(t, 1)) : rnn.call(t[0], At(t, 1))),
        LSTMCell cell => List(bypasses ? cell.forward(t[0], Pair(t)) : cell.call(t[0], Pair(t))),
        GRUCell cell => [bypasses ? cell.forward(t[0], At(t, 1)) : cell.call(t[0], At(t, 1))],
        RNNCell cell => [bypasses ? cell.forward(t[0], At(t, 1)) : cell.call(t[0], At(t, 1))],
        MultiheadAttention attention => List(bypasses
            ? attention.forward(t[0], t[1], t[2], t[3], n[0] == 1, t[4]) : attention.call(t[0], t[1], t[2], t[3], n[0] == 1, t[4])),
        TransformerEncoderLayer encoder => [bypasses ? encoder.forward(t[0]) : encoder.call(t[0])],
        TransformerEncoder encoder => [bypasses ? encoder.forward(t[0], t[1], t[2]) : encoder.call(t[0], t[1], t[2])],
        TransformerDecoderLayer decoder =>
            [bypasses ? decoder.forward(t[0], t[1], t[2], t[3], t[4], t[5]) : decoder.call(t[0], t[1], t[2], t[3], t[4], t[5])],
        TransformerDecoder decoder =>
            [bypasses ? decoder.forward(t[0], t[1], t[2], t[3], t[4], t[5]) : decoder.call(t[0], t[1], t[2], t[3], t[4], t[5])],
        EmbeddingBag bag => [bypasses ? bag.forward(t[0], At(t, 1), At(t, 2)) : bag.call(t[0], At(t, 1), At(t, 2))],
        MaxUnpool1d pool => [bypasses ? pool.forward(t[0], t[1], Size(n)) : pool.call(t[0], t[1], Size(n))],
        MaxUnpool2d pool => [bypasses ? pool.forward(t[0], t[1], Size(n)) : pool.call(t[0], t[1], Size(n))],
        MaxUnpool3d pool => [bypasses ? pool.forward(t[0], t[1], Size(n)) : pool.call(t[0], t[1], Size(n))],
        Module<Tensor, Tensor> one => [bypasses ? one.forward(t[0]) : one.call(t[0])],
        Module<Tensor, Tensor, Tensor> two => [bypasses ? two.forward(t[0], t[1]) : two.call(t[0], t[1])],
        Module<Tensor, Tensor, Tensor, Tensor> three => [bypasses ? three.forward(t[0], t[1], t[2]) : three.call(t[0], t[1], t[2])],
        Module<Tensor, Tensor, Tensor, Tensor, Tensor> four =>
            [bypasses ? four.forward(t[0], t[1], t[2], t[3]) : four.call(t[0], t[1], t[2], t[3])],
        _ => throw new System.ArgumentException(layer.GetName()),
    };

    private static Tensor At(Tensor[] t, int at) => at < t.Length ? t[at] : null;

    private static (Tensor, Tensor)? Pair(Tensor[] t) => t.Length > 2 ? (t[1], t[2]) : null;

    private static long[] Size(long[] n) => n.Length == 0 ? null : n;

    private static Tensor[] List((Tensor, Tensor) two) => [two.Item1, two.Item2];

    private static Tensor[] List((Tensor, Tensor, Tensor) three) => [three.Item1, three.Item2, three.Item3];

    private static Tensor[] List(System.Tuple<Tensor, Tensor> two) => [two.Item1, two.Item2];

    private static Tensor[] Packed((PackedSequence, Tensor) two) => [two.Item1.data, two.Item2];

    private static Tensor[] Packed((PackedSequence, Tensor, Tensor) three) => [three.Item1.data, three.Item2, three.Item3];
}
