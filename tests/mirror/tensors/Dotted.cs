using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Dotted;

/// <summary>Weight norm, under the names that PyTorch's own has.</summary>
public class Normed : Module<Tensor, Tensor>
{
    private readonly Parameter _length;
    private readonly Parameter _direction;
    private readonly Tensor _calls = zeros(1);

    public Normed() : base(nameof(Normed))
    {
        _length = Parameter(ones(2, 1));
        _direction = Parameter(randn(2, 3));
        register_parameter("weight.original0", _length);
        register_parameter("weight.original1", _direction);
        register_parameter("bias", Parameter(zeros(2)));
        register_buffer("state.calls", _calls);
    }

    public override Tensor forward(Tensor x)
    {
        using (no_grad()) _calls.add_(1);
        var weight = _length * _direction / _direction.norm(1, keepdim: true);
        return nn.functional.linear(x, weight, get_parameter("bias"));
    }
}

/// <summary>Two modules; the second shares a parameter of the first.</summary>
public class Pair : Module<Tensor, Tensor>
{
    private readonly Normed first = new();
    private readonly Linear last = Linear(2, 2);

    public Pair() : base(nameof(Pair))
    {
        RegisterComponents();
        register_parameter("shared.length", first.get_parameter("weight.original0"));
    }

    /// <summary>Gets the names in C#, and a value that C# writes.</summary>
    public string Names => string.Join(" ", System.Linq.Enumerable.Select(named_parameters(), item => item.name));

    public override Tensor forward(Tensor x) => last.call(first.call(x));

    public double Written
    {
        get => get_parameter("first.weight.original0").sum().ToDouble();
        set
        {
            using (no_grad()) get_parameter("first.weight.original0").fill_(value);
        }
    }
}

/// <summary>Has a parameter of the name of a child's part.</summary>
public class Taken : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(2, 2);

    public Taken() : base(nameof(Taken))
    {
        RegisterComponents();
        register_parameter("fc.scale", Parameter(ones(1)));
    }

    public override Tensor forward(Tensor x) => fc.call(x);
}

/// <summary>Registers a parameter of the given name.</summary>
public class Named : Module<Tensor, Tensor>
{
    public Named(string name) : base(nameof(Named)) => register_parameter(name, Parameter(ones(1)));

    public override Tensor forward(Tensor x) => x;
}

/// <summary>A layer of TorchSharp with one more parameter.</summary>
public class Layered : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(2, 2);

    public Layered() : base(nameof(Layered))
    {
        fc.register_parameter("weight.scale", Parameter(ones(1)));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => fc.call(x);
}
