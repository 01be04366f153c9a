using System;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using static TorchSharp.torch.nn.utils.rnn;

namespace Overloads;

/// <summary>A recurrent layer that runs over packed sequences, with a first state or without.</summary>
public sealed class Packed : Module<Tensor, Tensor, Tensor?, (Tensor, Tensor)>
{
    private readonly Module layer;

    public Packed(string kind) : base(nameof(Packed))
    {
        layer = Layers.Make(kind);
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor input, Tensor lengths, Tensor? state = null)
    {
        var (output, hidden) = Layers.Call(layer, pack_padded_sequence(input, lengths, enforce_sorted: false), state);
        return (pad_packed_sequence(output).Item1, hidden);
    }
}

/// <summary>The same with hooks of C#, which see the steps of all sequences as one tensor.</summary>
public sealed class Hooked : Module<Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly GRU layer = GRU(3, 4);
    private readonly bool change;

    public Hooked(bool change) : base(nameof(Hooked))
    {
        RegisterComponents();
        this.change = change;
        Layers.Hook(layer, change);
    }

    public override (Tensor, Tensor) forward(Tensor input, Tensor lengths)
    {
        var (output, hidden) = layer.call(pack_padded_sequence(input, lengths, enforce_sorted: false));
        return (pad_packed_sequence(output).Item1, hidden);
    }
}

/// <summary>The same in C# alone: the layer is no part of the model, so it has no mirror.</summary>
public sealed class Alone : Module<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, (Tensor, Tensor)>
{
    public Alone() : base(nameof(Alone)) => RegisterComponents();

    public override (Tensor, Tensor) forward(Tensor input, Tensor lengths, Tensor weight_ih, Tensor weight_hh, Tensor bias_ih,
        Tensor bias_hh)
    {
        var layer = GRU(3, 4);
        using (no_grad())
        {
            var at = 0;
            foreach (var parameter in layer.parameters()) parameter.copy_(new[] { weight_ih, weight_hh, bias_ih, bias_hh }[at++]);
        }

        Layers.Hook(layer, true);
        var (output, hidden) = layer.call(pack_padded_sequence(input, lengths, enforce_sorted: false));
        return (pad_packed_sequence(output).Item1, hidden);
    }
}

/// <summary>A module of the user's whose argument and result are packed sequences.</summary>
public sealed class Through : Module<PackedSequence, PackedSequence>
{
    private readonly LSTM layer = LSTM(3, 4);

    public Through() : base(nameof(Through)) => RegisterComponents();

    public override PackedSequence forward(PackedSequence input) => layer.call(input).Item1;
}

/// <summary>A transformer with masks.</summary>
public sealed class Masked : Module<Tensor, Tensor, Tensor, Tensor, Tensor>
{
    private readonly Transformer layer = Transformer(8, 2, 1, 1, 16, 0.1);

    public Masked() : base(nameof(Masked)) => RegisterComponents();

    public override Tensor forward(Tensor src, Tensor tgt, Tensor mask, Tensor padding) =>
        layer.call(src, tgt, mask, tgt_mask: mask, src_key_padding_mask: padding);
}

/// <summary>The same without masks, by <c>forward</c>.</summary>
public sealed class Unmasked : Module<Tensor, Tensor, Tensor>
{
    private readonly Transformer layer = Transformer(8, 2, 1, 1, 16, 0.1);

    public Unmasked() : base(nameof(Unmasked)) => RegisterComponents();

    public override Tensor forward(Tensor src, Tensor tgt) => layer.forward(src, tgt);
}

/// <summary>Hooks of C# on a transformer whose masks they do not see.</summary>
public sealed class HookedMasked : Module<Tensor, Tensor, Tensor, Tensor>
{
    private readonly Transformer layer = Transformer(8, 2, 1, 1, 16, 0.1);

    public HookedMasked() : base(nameof(HookedMasked))
    {
        RegisterComponents();
        layer.register_forward_pre_hook((_, src, tgt) => (src * 2, tgt));
        layer.register_forward_hook((_, src, tgt, output) => output + src.sum());
    }

    public override Tensor forward(Tensor src, Tensor tgt, Tensor mask) => layer.call(src, tgt, mask, tgt_mask: mask);
}

internal static class Layers
{
    internal static Module Make(string kind) => kind switch
    {
        "lstm" => LSTM(3, 4, 2, bidirectional: true),
        "gru" => GRU(3, 4),
        "tanh" => RNN(3, 4),
        _ => RNN(3, 4, 1, NonLinearities.ReLU),
    };

    internal static (PackedSequence, Tensor) Call(Module layer, PackedSequence packed, Tensor? state)
    {
        switch (layer)
        {
            case LSTM lstm:
                var (output, hidden, cell) = lstm.call(packed, state is null ? null : (state, state));
                return (output, hidden + cell);
            case GRU gru: return gru.call(packed, state);
            default: return ((RNN)layer).call(packed, state);
        }
    }

    internal static void Hook(GRU layer, bool change)
    {
        layer.register_forward_pre_hook((_, data, state) => change ? (data * 2, state) : null);
        layer.register_forward_hook((_, data, state, result) =>
        {
            if (data.dim() != 2 || result.Item1.dim() != 2) throw new InvalidOperationException("not the steps of the sequences");
            return change ? (result.Item1 + data.sum(), result.Item2 * 3) : result;
        });
    }
}
