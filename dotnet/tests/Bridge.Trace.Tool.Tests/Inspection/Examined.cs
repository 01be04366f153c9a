using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Trace.Tool.Tests.Inspection;

/// <summary>A model for <see cref="DirectCallsTests"/>, which is compiled and never run.</summary>
public sealed class Examined : Module<Tensor, Tensor>
{
    private readonly Linear _first = Linear(4, 4);
    private readonly Sequential _second = Sequential(ReLU());
    private readonly Own _own = new();

    public Examined()
        : base(nameof(Examined)) => RegisterComponents();

    public override Tensor forward(Tensor x) => x.dim() switch
    {
        0 => _first.call(x),
        1 => _first.forward(x),
        2 => _second.forward(x),
        3 => _own.forward(x),
        _ => x,
    };

    private sealed class Own : Module<Tensor, Tensor>
    {
        internal Own()
            : base(nameof(Own))
        {
        }

        public override Tensor forward(Tensor x) => x + 1.5;
    }
}
