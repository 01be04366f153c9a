using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Disposes what its child gives, which a hook keeps.</summary>
public sealed class Disposing : Module<Tensor, Tensor>
{
    private readonly Sequential child = Sequential(Identity());
    private readonly List<Tensor> seen = [];

    public Disposing(long size) : base(nameof(Disposing))
    {
        RegisterComponents();
        ((Module)child).register_forward_pre_hook((module, args) => [(Tensor)args[0]! + 1]);
        ((Module)child).register_forward_hook((module, args, output) =>
        {
            if (size > 0) seen.Add((Tensor)output!);
            return null;
        });
    }

    public long kept => seen.Count;

    public double sum => seen.Sum(tensor => tensor.sum().item<float>());

    public override Tensor forward(Tensor input)
    {
        using var hidden = child.call(input);
        return hidden + input;
    }
}

/// <summary>Three forward hooks: the first counts its calls, the second calls <c>other</c>, the third throws if it is to.</summary>
public sealed class Marking : Module<Tensor, Tensor>
{
    private readonly Sequential other = Sequential(Identity());
    private readonly Sequential inside = Sequential(Identity());

    public Marking(bool throws) : base(nameof(Marking))
    {
        RegisterComponents();
        ((Module)this).register_forward_hook((module, args, output) =>
        {
            Calls++;
            return null;
        });
        ((Module)this).register_forward_hook((module, args, output) =>
        {
            other.call((Tensor)output!);
            return null;
        });
        ((Module)this).register_forward_hook((module, args, output) => throws ? throw new InvalidOperationException("third") : null);
    }

    public long Calls { get; set; }

    public override Tensor forward(Tensor input) => inside.call(input);
}

/// <summary>
/// A chain of built-ins, each with a forward hook that counts calls and does not look at values: two where there are no pre hooks, the
/// second of which counts no call.
/// </summary>
public sealed class Counting : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential();

    public Counting(long depth, long size, bool pres = true) : base(nameof(Counting))
    {
        for (var i = 0; i < depth; i++) layers.append(i % 2 == 0 ? Linear(size, size) : Identity());
        RegisterComponents();
        foreach (var module in modules().Prepend(this).Distinct())
        {
            if (pres) module.register_forward_pre_hook((Module _, object?[] _) =>
            {
                Pres++;
                return null;
            });
            if (!pres && module is Linear layer)
                layer.register_forward_hook((_, _, _) => ++Posts == At ? ones([1, size]) : null!);
            else module.register_forward_hook((Module _, object?[] _, object? _) =>
            {
                Posts++;
                return Posts == At ? ones([1, size]) : null;
            });
            if (!pres) module.register_forward_hook((Module _, object?[] _, object? _) =>
            {
                Seconds++;
                return null;
            });
        }
    }

    public long Seconds { get; set; }

    public long Pres { get; set; }

    public long Posts { get; set; }

    /// <summary>Which of the forward hooks gives ones.</summary>
    public long At { get; set; }

    public override Tensor forward(Tensor input) => layers.call(input);
}
