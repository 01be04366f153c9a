using TorchSharp;
using static TorchSharp.torch;

namespace Layers;

/// <summary>A library compiled against TorchSharp, as TorchVision is.</summary>
public static class Blocks
{
    public static nn.Module<Tensor, Tensor> Block(int features) =>
        nn.Sequential(("linear", nn.Linear(features, features)), ("relu", nn.ReLU()));

    public static Tensor Twice(Tensor x) => x.add(x);
}
