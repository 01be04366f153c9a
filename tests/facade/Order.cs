using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Order;

/// <summary>Says what C# enumerates of a model, a name on each line.</summary>
public class Walks : Module<string, string>
{
    private readonly Module inner;

    public Walks(string which) : base(nameof(Walks))
    {
        inner = which switch
        {
            "Whole" => new Whole(),
            "Chain" => new Chain(),
            "Forgetful" => Sequential(("first", new Unregistered()), ("second", new Unregistered())),
            "Tied" => new Tied(),
            "Encoder" => TransformerEncoder(TransformerEncoderLayer(4, 2, 8), 1),
            _ => new Whole().chain,
        };
        RegisterComponents();
    }

    public override string forward(string walk) => string.Join("\n", walk switch
    {
        "named_modules" => inner.named_modules().Select(item => item.name),
        "modules" => inner.modules().Select(module => module.GetName()),
        "named_children" => inner.named_children().Select(item => item.name),
        "children" => inner.children().Select(module => module.GetName()),
        "named_parameters" => inner.named_parameters().Select(item => item.name),
        "own_parameters" => inner.named_parameters(recurse: false).Select(item => item.name),
        "named_buffers" => inner.named_buffers().Select(item => item.name),
        "every_buffer" => inner.named_buffers(recurse: true, include_nonpersistent: true).Select(item => item.name),
        "apply" => Applied(),
        "saved" => Saved(),
        _ => inner.state_dict().Keys,
    });

    private List<string> Applied()
    {
        var found = new List<string>();
        inner.apply(module => found.Add(module.GetName()));
        return found;
    }

    private IEnumerable<string> Saved()
    {
        using var stream = new System.IO.MemoryStream();
        inner.save(new System.IO.BinaryWriter(stream));
        stream.Position = 0;
        var found = new Dictionary<string, bool>();
        inner.load(new System.IO.BinaryReader(stream), true, null, found);
        return found.Keys;
    }
}

/// <summary>A root with fields of every kind, in an order that is not that of their registration.</summary>
public class Whole : Trunk
{
    private readonly Tensor table = ones(2);
    private readonly Linear head = Linear(3, 3);
    public readonly Sequential chain = Sequential(("lin", Linear(2, 3)), ("act", ReLU()), ("lin", Linear(3, 3)));
    private readonly ModuleList<Linear> list = ModuleList(Linear(3, 3), Linear(3, 3));
    private readonly Parameter scale = new(ones(3));
    [ComponentName(Name = "renamed")]
    private readonly BatchNorm1d norm = BatchNorm1d(3);

    public Whole() : base(nameof(Whole))
    {
        register_module("list", list);
        register_buffer("scratch", ones(1), persistent: false);
        RegisterComponents();
        tail.weight = head.weight;
    }

    public override Tensor forward(Tensor x)
    {
        x = norm.call(chain.call(x)).mul(scale);
        foreach (var layer in list) x = layer.call(x);
        return tail.call(head.call(x)).add(table.sum());
    }
}

/// <summary>A base: its private field comes last.</summary>
public abstract class Trunk : Module<Tensor, Tensor>
{
    private readonly Dropout hidden = Dropout(0.5);
    protected readonly Linear tail = Linear(3, 3);

    protected Trunk(string name) : base(name) { }

    public float Rate => hidden.training ? 0.5f : 0f;
}

/// <summary>A Sequential with a layer twice and a field of its own.</summary>
public class Chain : Sequential
{
    private readonly Linear extra = Linear(2, 2);

    public Chain() : this(Linear(2, 2)) { }

    private Chain(Linear shared) : base(("a", shared), ("b", shared)) => RegisterComponents();

    public long Extra => extra.in_features;
}

/// <summary>Leaves registration to the parent that it was written for.</summary>
public class Unregistered : Module<Tensor, Tensor>
{
    private readonly Linear layer = Linear(2, 2);

    public Unregistered() : base(nameof(Unregistered)) { }

    public override Tensor forward(Tensor x) => layer.call(x);
}

/// <summary>Derives from Module itself; its children too have a forward of their own.</summary>
public class Plain : Module
{
    private readonly Encoder encoder = new();
    private readonly Decoder decoder = new();

    public Plain() : base(nameof(Plain)) => RegisterComponents();

    public Tensor forward(Tensor x, long times = 1)
    {
        for (var i = 0; i < times; i++) x = encoder.forward(x).Item1;
        return decoder.call(x);
    }
}

/// <summary>Several overloads, one of which gives a tuple.</summary>
public class Encoder : Module
{
    private readonly Linear layer = Linear(2, 2);

    public Encoder() : base(nameof(Encoder)) => RegisterComponents();

    public (Tensor, Tensor) forward(Tensor x) => (layer.call(x), x);

    public Tensor forward(Tensor x, Tensor y) => layer.call(x).add(y);

    public Tensor forward(Tensor x, string how, double by = 2) =>
        how == "mul" ? layer.call(x).mul(by) : throw new System.ArgumentException("unknown: " + how);
}

/// <summary>Has no forward, but a call of its own.</summary>
public class Decoder : Module
{
    private readonly Linear layer = Linear(2, 2);

    public Decoder() : base(nameof(Decoder)) => RegisterComponents();

    public Tensor call(Tensor x) => layer.call(x);
}

/// <summary>Cannot be made from outside of its class.</summary>
public class Closed : Module<Tensor, Tensor>
{
    private Closed(long size) : base(nameof(Closed)) => Size = size;

    protected Closed(string name) : base(name) { }

    public long Size { get; }

    private static Closed Make() => new(1);

    public override Tensor forward(Tensor x) => x;
}

/// <summary>Has a constructor for the classes of its assembly, and one for all that fits fewer arguments.</summary>
internal class Internal : Module<Tensor, Tensor>
{
    private readonly long size;

    public Internal(double size) : base(nameof(Internal)) => this.size = (long)size * 100;

    internal Internal(long size, long by = 1) : base(nameof(Internal)) => this.size = size * by;

    internal static Internal Make(long size) => new(size, 10);

    public override Tensor forward(Tensor x) => x * size;
}

/// <summary>As TorchSharp's own modules are: nothing of it is public but its class.</summary>
public class Own : Module
{
    private readonly Linear layer = Linear(2, 2);
    private readonly Inner inner = new();

    internal Own() : base(nameof(Own)) => RegisterComponents();

    internal Tensor forward(Tensor x) => inner.forward(layer.call(x));

    internal class Inner : Module
    {
        internal Inner() : base(nameof(Inner)) { }

        internal Tensor forward(Tensor x) => x + 1;

        internal Tensor forward(Tensor x, Tensor y) => x + y;
    }
}

/// <summary>Runs only below itself.</summary>
public class Hidden : Module
{
    internal Hidden() : base(nameof(Hidden)) { }

    private Tensor forward(Tensor x) => x;
}

/// <summary>Words, a head that shares their weight, set after registration.</summary>
public class Tied : Module<Tensor, Tensor>
{
    private readonly Embedding wte = Embedding(7, 4);
    private readonly Linear lm_head = Linear(4, 7, hasBias: false);

    public Tied() : base(nameof(Tied))
    {
        RegisterComponents();
        lm_head.weight = wte.weight;
    }

    public override Tensor forward(Tensor x) => lm_head.call(wte.call(x));
}

/// <summary>Reaches what the base class keeps.</summary>
public class Inside : Module<Tensor, string>
{
    public Inside() : base(nameof(Inside))
    {
        register_module("b", Linear(1, 1));
        register_module("a", Linear(1, 1));
        _internal_submodules.Add("c", ReLU());
        _internal_buffers["t"] = (ones(1), true);
        _internal_params.Add(("w", new Parameter(ones(1))));
    }

    public override string forward(Tensor x)
    {
        var map = new OrderedDict<string, int> { ("z", 1), ("y", 2) };
        map["x"] = 3;
        map["z"] = 4;
        map.Remove("y");
        var all = new List<string>(_internal_submodules.Keys);
        all.AddRange(_internal_buffers.keys());
        all.Add(_internal_params[0].Item1);
        foreach (var (key, value) in map) all.Add($"{key}{value}");
        return string.Join(" ", all);
    }
}
