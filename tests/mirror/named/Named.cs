using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Named;

/// <summary>Factories in nested static classes, as TorchVision has them.</summary>
public static partial class zoo
{
    public static class models
    {
        public static Net net18(int num_classes = 3, string? weights_file = null) => new(num_classes);

        public static Module<Tensor, Tensor> net34(int num_classes = 3) => new Net(num_classes);

        public static Net? nothing() => null;

        public static int count() => 2;

        private static Net hidden() => new(1);
    }

    public sealed class Net(int classes) : Named.Net(classes);
}

public class Net : Module<Tensor, Tensor>
{
    private readonly Linear fc;

    public Net(int classes = 3) : base(nameof(Net))
    {
        fc = Linear(4, classes);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => fc.call(x);
}
