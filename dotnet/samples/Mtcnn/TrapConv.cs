using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Mtcnn;

/// <summary>A convolution that is called by call(), which fires its hooks, or by forward(), which bypasses them.</summary>
public sealed class TrapConv : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 16, 3);
    private readonly bool byCall;

    /// <summary>Builds the convolution with random weights.</summary>
    /// <param name="byCall">true: conv.call(x); false: conv.forward(x).</param>
    /// <param name="name">Name of the module.</param>
    public TrapConv(bool byCall, string name = "TrapConv")
        : base(name)
    {
        this.byCall = byCall;
        RegisterComponents();
    }

    /// <summary>Runs the convolution.</summary>
    /// <param name="input">float32 [3, h, w] or [n, 3, h, w].</param>
    /// <returns>float32 [16, h - 2, w - 2], with a batch dimension when the input has one.</returns>
    public override Tensor forward(Tensor input)
    {
        return byCall ? conv.call(input) : conv.forward(input);
    }
}
