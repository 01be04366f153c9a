using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Throws what is not an error, through a child.</summary>
public sealed class Stopping : Module<Tensor, Tensor>
{
    private readonly Stop child;

    public Stopping(bool inTask = false) : base(nameof(Stopping))
    {
        child = new Stop(inTask);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => child.call(input);

    private sealed class Stop(bool inTask) : Module<Tensor, Tensor>("Stop")
    {
        public override Tensor forward(Tensor input)
        {
            if (inTask) Task.Run(() => throw new Stopped()).Wait();
            throw new Stopped();
        }
    }

    private sealed class Stopped() : Exception("stop it"), Bridge.Hooks.INotAnError;
}
