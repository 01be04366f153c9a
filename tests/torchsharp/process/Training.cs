using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Trains itself, as a `Fit` of C# does, and leaves itself in the mode that it ends in.</summary>
public sealed class Trained : Module<Tensor, string, Tensor>
{
    private readonly Linear fc = Linear(4, 3);
    private readonly BatchNorm1d norm = BatchNorm1d(3);
    private readonly Linear head = Linear(3, 1);

    public Trained() : base(nameof(Trained))
    {
        RegisterComponents();
        register_buffer("seen", zeros(1));
    }

    public override Tensor forward(Tensor x, string what)
    {
        if (what.StartsWith("load ", StringComparison.Ordinal)) load(what[5..]);
        switch (what)
        {
            case "fit":
            {
                train();
                // Not the head: it stays as it is.
                var optimizer = optim.SGD(fc.parameters().Concat(norm.parameters()), 0.1);
                for (var i = 0; i < 3; i++)
                {
                    optimizer.zero_grad();
                    Of(x).pow(2).mean().backward();
                    optimizer.step();
                }

                eval();
                break;
            }

            case "write":
            {
                using (no_grad()) head.weight.add_(ones(1, 3));
                throw new InvalidOperationException("not today");
            }

            case "count":
                get_buffer("seen").add_(ones(1));
                break;
        }

        return Of(x);
    }

    private Tensor Of(Tensor x) => head.call(norm.call(fc.call(x)));
}

/// <summary>Has 16 MB of weights.</summary>
public sealed class Wide : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4000, 1000);

    public Wide() : base(nameof(Wide)) => RegisterComponents();

    public override Tensor forward(Tensor x) => fc.call(x);
}

/// <summary>Draws its weights as a Linear does, and a mask in each call where it trains.</summary>
public sealed class Dropping : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 5);
    private readonly Dropout drop = Dropout(0.5);

    public Dropping() : base(nameof(Dropping)) => RegisterComponents();

    public override Tensor forward(Tensor x) => drop.call(fc.call(x));
}

/// <summary>Adds how many of its class there are.</summary>
public sealed class Counted : Module<Tensor, Tensor>
{
    private static int _made;

    public Counted() : base(nameof(Counted)) => _made++;

    public override Tensor forward(Tensor x) => x + _made;
}
