using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Sizes;

/// <summary>Adds places to [n, length]; it reads the length in one of three ways, and no other size.</summary>
public sealed class Places : Module<Tensor, Tensor>
{
    private readonly string way;

    public Places(string way) : base(nameof(Places)) => this.way = way;

    public override Tensor forward(Tensor input)
    {
        var length = way switch
        {
            "index" => input.shape[1],
            "end" => input.shape[^1],
            _ => input.size(1),
        };
        return input + arange(length, dtype: float32, device: input.device).expand_as(input);
    }
}
