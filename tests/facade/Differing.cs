using System;
using System.IO;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Differing;

/// <summary>Draws a layer's initial values from a seed.</summary>
public class Drawn : Module<string, string, Tensor>
{
    public Drawn() : base(nameof(Drawn))
    {
    }

    public override Tensor forward(string layer, string type)
    {
        var dtype = Enum.Parse<ScalarType>(type);
        torch.random.manual_seed(3);
        Tensor weight = layer == "Linear" ? Linear(8, 4, dtype: dtype).weight! : Conv2d(2, 3, 3, dtype: dtype).weight!;
        return weight.detach().to(ScalarType.Float32);
    }
}

/// <summary>A normalization whose batch has one value a channel.</summary>
public class Single : Module<Tensor, Tensor>
{
    private readonly BatchNorm1d norm = BatchNorm1d(3);

    public Single() : base(nameof(Single)) => RegisterComponents();

    public override Tensor forward(Tensor x) => norm.call(x);
}

/// <summary>One layer in two fields.</summary>
public class Twice : Module<string, string>
{
    private readonly Linear first = Linear(2, 2);
    private readonly Linear second;

    public Twice() : base(nameof(Twice))
    {
        second = first;
        RegisterComponents();
    }

    public override string forward(string file)
    {
        if (!File.Exists(file)) save(file);
        else load(file);
        return string.Join(" ", state_dict().Keys);
    }
}

/// <summary>One parameter and one buffer, each under two names.</summary>
public class Doubled : Module<string, string>
{
    private readonly Parameter _scale = Parameter(ones(2));
    private readonly Tensor _count = zeros(2);

    public Doubled() : base(nameof(Doubled))
    {
        register_parameter("scale", _scale);
        register_buffer("count", _count);
        RegisterComponents();
    }

    public override string forward(string file)
    {
        if (!File.Exists(file)) save(file);
        else load(file);
        return string.Join(" ", state_dict().Keys);
    }
}

/// <summary>Relies on its parent.</summary>
public class Unregistered : Module<Tensor, Tensor>
{
    private readonly BatchNorm1d norm = BatchNorm1d(3);

    public Unregistered() : base(nameof(Unregistered))
    {
    }

    public override Tensor forward(Tensor x) => norm.call(x);
}

/// <summary>Has such a module in a Sequential.</summary>
public class Chained : Module<Tensor, Tensor>
{
    private readonly Sequential chain = Sequential(("norm", new Unregistered()));

    public Chained() : base(nameof(Chained)) => RegisterComponents();

    public override Tensor forward(Tensor x) => chain.call(x);
}
