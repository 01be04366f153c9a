using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

public sealed class OwnSequence : Sequential<Tensor, Tensor>
{
    public OwnSequence() : base(("a", Linear(2, 2)), ("b", ReLU())) { }

    public override Tensor forward(Tensor x)
    {
        for (var i = 0; i < Count; i++) x = ((Module<Tensor, Tensor>)this[i]).call(x);
        return x;
    }
}

/// <summary>One of each collection.</summary>
public sealed class Collections : Module<Tensor, Tensor>
{
    private readonly ModuleList<Linear> layers = new(Linear(2, 2), Linear(2, 2), Linear(2, 2));
    private readonly ModuleDict<Module<Tensor, Tensor>> named =
        ModuleDict<Module<Tensor, Tensor>>(("first", ReLU()), ("second", Linear(2, 2)));
    private readonly Sequential seq = Sequential(("conv", Linear(2, 2)), ("act", Tanh()));
    private readonly OwnSequence own = new();
    private readonly ParameterList scales = ParameterList(Parameter(ones([2])), Parameter(ones([2]) * 2));
    private readonly ParameterDict shifts = ParameterDict(("x", Parameter(zeros([2]))), ("y", Parameter(ones([2]))));
    private readonly ModuleList<Module> empty = ModuleList();

    public Collections() : base(nameof(Collections)) => RegisterComponents();

    public string Layers => string.Join(" ", layers.Select(layer => $"{layer.in_features}>{layer.out_features}"));

    public string Named => string.Join(" ", named.Keys);

    public string Shifts => string.Join(" ", shifts.Keys);

    public long[] Counts => [layers.Count, named.Count, seq.Count, own.Count, scales.Count, shifts.Count, empty.Count];

    public string Tree => string.Join(" ", named_modules().Select(item => item.name));

    public override Tensor forward(Tensor x)
    {
        foreach (var layer in layers) x = layer.call(x);
        foreach (var (_, module) in named) x = module.call(x);
        x = own.call(seq.call(x));
        for (var i = 0; i < scales.Count; i++) x = x * scales[i];
        foreach (var (_, shift) in shifts) x = x + shift;
        return x;
    }
}

/// <summary>Its first layers' weights are used without a call.</summary>
public sealed class WeightsRead : Module<Tensor, Tensor>
{
    private readonly ModuleList<Linear> layers = new(Linear(2, 2, hasBias: false), Linear(2, 2, hasBias: false));

    public WeightsRead() : base(nameof(WeightsRead)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        foreach (var layer in layers) x = x.matmul(layer.weight.t());
        return x;
    }
}

/// <summary>Reads the weight and the bias of convolutions, whose borders it keeps away from.</summary>
public sealed class KernelsRead : Module<Tensor, Tensor>
{
    private readonly ModuleList<Conv2d> layers = new(Conv2d(1, 1, 1), Conv2d(1, 1, 1));

    public KernelsRead() : base(nameof(KernelsRead)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        foreach (var layer in layers) x = layer.bias is null ? x * layer.weight.sum() : x * layer.weight.sum() + layer.bias;
        return x;
    }
}

/// <summary>Reads the tensors of layers of the model's own class.</summary>
public sealed class ScalesRead : Module<Tensor, Tensor>
{
    private readonly ModuleList<Step> h = new(new Step(), new Step());

    public ScalesRead() : base(nameof(ScalesRead)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        foreach (var step in h) x = x * step.Scale;
        return x;
    }
}

public sealed class Step : Module<Tensor, Tensor>
{
    private readonly Linear inner = Linear(2, 2);
    private readonly Parameter scale = Parameter(ones([2]));

    public Step() : base(nameof(Step)) => RegisterComponents();

    public long Calls { get; set; }

    internal Linear Inner => inner;

    internal Parameter Scale => scale;

    public override Tensor forward(Tensor x)
    {
        Calls++;
        return inner.call(x) * scale;
    }
}

/// <summary>Reads what its child's child has.</summary>
public sealed class Peeking : Module<Tensor, Tensor>
{
    private readonly Step step = new();

    public Peeking() : base(nameof(Peeking)) => RegisterComponents();

    public override Tensor forward(Tensor x) => x.matmul(step.Inner.weight.t());
}

/// <summary>A list of classes of the model's own, a field and an array of which have its first entry too.</summary>
public sealed class Steps : Module<Tensor, Tensor>
{
    private readonly ModuleList<Step> h = new(new Step(), new Step(), new Step());
    private readonly Step[] kept;

    public Steps() : base(nameof(Steps))
    {
        kept = [h[0]];
        RegisterComponents();
    }

    public bool UsesKept { get; set; }

    public override Tensor forward(Tensor x)
    {
        if (UsesKept) return kept[0].call(x);
        foreach (var step in h) x = step.call(x);
        return x;
    }
}

/// <summary>Its input table is also its output layer's weight.</summary>
public sealed class TiedTable : Module<Tensor, Tensor>
{
    private readonly Embedding table = Embedding(4, 3);
    private readonly Linear head = Linear(3, 4, hasBias: false);
    private readonly bool calls;

    public TiedTable(bool calls) : base(nameof(TiedTable))
    {
        this.calls = calls;
        head.weight = table.weight;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = table.call(x);
        return calls ? head.call(x) : x.matmul(table.weight.t()) + 0 * head.weight.sum();
    }

    public string Sums => $"{table.weight.sum().item<float>()} {head.weight.sum().item<float>()}";
}

/// <summary>Changes its own collections when it is asked to.</summary>
public sealed class Growing : Module<Tensor, Tensor>
{
    private readonly ModuleList<Module<Tensor, Tensor>> layers = new(Linear(2, 2), ReLU());
    private readonly ModuleDict<Module<Tensor, Tensor>> named = ModuleDict<Module<Tensor, Tensor>>(("first", Linear(2, 2)));
    private readonly Sequential seq = Sequential(Linear(2, 2));
    private readonly ParameterList scales = ParameterList(Parameter(ones([2])));
    private readonly ParameterDict shifts = ParameterDict(("x", Parameter(zeros([2]))));

    public Growing() : base(nameof(Growing)) => RegisterComponents();

    public string Change { get; set; } = "";

    public override Tensor forward(Tensor x)
    {
        switch (Change)
        {
            case "append":
                layers.append(Linear(2, 2));
                named["second"] = new Step();
                seq.append("last", Sequential(Linear(2, 2), Tanh()));
                scales.append(Parameter(full([2], 3.0)));
                shifts["y"] = Parameter(full([2], 5.0));
                break;
            case "replace":
                layers[0] = Tanh();
                named["first"] = Sigmoid();
                scales[0] = Parameter(full([2], 7.0));
                shifts["x"] = Parameter(full([2], 9.0));
                break;
            case "remove":
                layers.RemoveAt(0);
                named.Remove("first");
                scales.RemoveAt(0);
                shifts.clear();
                break;
            case "itself":
                layers.append(this);
                break;
        }

        Change = "";
        foreach (var layer in layers) x = layer.call(x);
        foreach (var (_, module) in named) x = module.call(x);
        x = seq.call(x);
        foreach (var scale in scales) x = x * scale;
        foreach (var (_, shift) in shifts) x = x + shift;
        return x;
    }
}

/// <summary>Whose type C# cannot make an object of.</summary>
public abstract class Kind : Module<Tensor, Tensor>
{
    protected Kind(string name) : base(name) { }
}

public sealed class Kinds : Module<Tensor, Tensor>
{
    private readonly ModuleList<Kind> kinds = new();
    private readonly ModuleList<ModuleList<Linear>> nested = new(new ModuleList<Linear>(Linear(2, 2)));
    private readonly ModuleList<Module<Tensor, Tensor, Tensor>> pairs = new();

    public Kinds() : base(nameof(Kinds)) => RegisterComponents();

    public string What { get; set; } = "";

    public override Tensor forward(Tensor x)
    {
        if (What == "kinds") foreach (var kind in kinds) x = kind.call(x);
        foreach (var list in nested)
            foreach (var layer in list) x = layer.call(x);
        foreach (var pair in pairs) x = pair.call(x, x);
        return x;
    }
}
