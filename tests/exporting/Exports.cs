using System;
using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Exports;

// What an exporter can and cannot keep, one way for each name.
public sealed class Block : Module<Tensor, Tensor>
{
    private static Tensor? shared;
    private readonly Module<Tensor, Tensor> fc = Linear(6, 6);
    private readonly Tensor count = zeros(1);
    private readonly List<Tensor> unregistered = new();
    private readonly System.Random own = new(1);
    private readonly string way;
    private int calls;
    private Tensor? kept;

    public Block(string way)
        : base(nameof(Block))
    {
        this.way = way;
        unregistered.Add(arange(6).to(ScalarType.Float32));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var y = fc.call(x);
        switch (way)
        {
            case "plain": return y;
            case "functions": return functional.dropout(where(y > 0, y, -y), 0.5, false);
            case "rank": return x.dim() == 2 ? y : -y;
            case "constant": return y + tensor(new float[] { 1, 2, 3, 4, 5, 6 }) + unregistered[0];
            case "seeded": return y * new System.Random(1).NextDouble();
            case "fixed width": return y.view(-1, x.shape[1]);

            case "item": return y.sum().item<float>() > 0 ? y : -y;
            case "ToSingle": return y * y.sum().ToSingle();
            case "cast": return (float)y.sum() > 0 ? y : -y;
            case "data": return y.data<float>()[0] > 0 ? y : -y;
            case "ToBoolean": return y.sum().gt(0).ToBoolean() ? y : -y;
            case "allclose": return y.allclose(x) ? y : -y;
            case "Equals": return y.Equals(x) ? y : -y;
            case "text": return y.ToString(TorchSharp.TensorStringStyle.Julia).Length > 3 ? y : -y;

            case "view": return y.view(x.shape[0], -1);
            case "size": return y.reshape(y.size(0), 6);
            case "numel": return y.reshape(y.numel() / 6, 6);
            case "twice": return cat(new[] { y, y }, 0).reshape((2 * x.shape[0]) + 1 - 1, 6);
            case "mean": return y * (1.0 / x.shape[0]);
            case "loop": { var s = y[0]; for (var i = 1; i < x.shape[0]; i++) s += y[i]; return y + s; }
            case "unbind": return stack(Enumerable.Reverse(y.unbind(0)).ToArray(), 0);
            case "branch": return x.shape[0] > 5 ? y : -y;
            case "seven": return x.shape[0] == 7 ? -y : y;

            case "counter": calls++; return y * calls;
            case "kept": { var z = kept is null ? y : y + kept; kept = y.detach().clone(); return z; }
            case "static": { shared ??= y.detach().clone(); return y + shared.sum(); }
            case "first": { kept ??= y.detach().clone(); return y + kept; }
            case "own random": return y * own.NextDouble();
            case "clock": return y * (DateTime.Now.Ticks % 1000003);
            case "buffer": count.add_(1); return y + count;
            case "in place": x.add_(1); return y;

            case "randn": return y + randn(6);
            case "unused randn": return y + (0 * randn(6));
            case "dropout": return functional.dropout(y, 0.5, true);
            case "select": return y.masked_select(y > 0);
            default: throw new ArgumentException(way);
        }
    }
}

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> first = Linear(6, 6);
    private readonly Module<Tensor, Tensor> block;

    public Net(string way)
        : base(nameof(Net))
    {
        block = new Block(way);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => block.call(first.call(x.clone()));
}

// The model's input itself reaches the module that changes it.
public sealed class Direct : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> block = new Block("in place");

    public Direct()
        : base(nameof(Direct)) => RegisterComponents();

    public override Tensor forward(Tensor x) => block.call(x);
}

// Two inputs and two results; integers; two dynamic dimensions, whose product is a number in C#.
public sealed class Tokens : Module<Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Module<Tensor, Tensor> embedding = Embedding(11, 4);
    private readonly bool flat;

    public Tokens(bool flat)
        : base(nameof(Tokens))
    {
        this.flat = flat;
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor tokens, Tensor scale)
    {
        var y = embedding.call(tokens) * scale;
        if (flat) y = y.view(tokens.shape[0] * tokens.shape[1], 4).relu().view(tokens.shape[0], tokens.shape[1], 4);
        return (y, y.argmax(-1));
    }
}

public sealed class Number : Module<Tensor, (Tensor, double)>
{
    public Number()
        : base(nameof(Number)) => RegisterComponents();

    public override (Tensor, double) forward(Tensor x) => (x.relu(), 2.5);
}
