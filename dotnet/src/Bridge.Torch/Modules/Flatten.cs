using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A merge of a range of dimensions into one.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Flatten.html">torch.nn.Flatten</see>.</remarks>
[Settings]
public sealed partial class Flatten : PlainBuiltIn
{
    internal Flatten(long start_dim, long end_dim) : base(nameof(Flatten)) => (this.start_dim, this.end_dim) = (start_dim, end_dim);

    private protected override Tensor Compute(Tensor input) => input.flatten(start_dim, end_dim);
}

/// <summary>A module that returns its input.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Identity.html">torch.nn.Identity</see>.</remarks>
public sealed class Identity : PlainBuiltIn
{
    internal Identity() : base(nameof(Identity)) { }

    private protected override Tensor Compute(Tensor input) => input.alias();
}
