using TorchSharp;
using static TorchSharp.torch;

namespace Models;

/// <summary>Sets a default of factories, or makes tensors by the defaults.</summary>
public sealed class Defaults() : nn.Module<Tensor, string, object?>(nameof(Defaults))
{
    public override object? forward(Tensor input, string how)
    {
        switch (how)
        {
            case "double": set_default_dtype(ScalarType.Float64); break;
            case "double tensor": set_default_tensor_type(zeros(1, ScalarType.Float64)); break;
            case "meta": set_default_device("meta"); break;
            case "made": return new object?[] { zeros(2), full([2], 0.5), arange(0.0, 1.0, 0.5), tensor(0.5f, get_default_dtype()),
                nn.Linear(2, 2).weight };
            case "names": return new object?[] { get_default_dtype().ToString(), get_default_device().ToString() };
            default: throw new ArgumentException(how);
        }

        return null;
    }
}

/// <summary>Has two layers whose type and device are the defaults.</summary>
public sealed class ByDefault : nn.Module<Tensor, Tensor>
{
    private readonly TorchSharp.Modules.Linear first = nn.Linear(2, 2);

    public ByDefault() : base(nameof(ByDefault)) => RegisterComponents();

    public override Tensor forward(Tensor input) => first.call(input);
}

/// <summary>Can be called without arguments.</summary>
public sealed class Constant() : nn.Module<Tensor?, Tensor>(nameof(Constant))
{
    public override Tensor forward(Tensor? input = null) => torch.ones(2).neg();
}
