using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A merge of a range of dimensions into one.</summary>
[Settings]
public sealed partial class Flatten : PlainBuiltIn
{
    internal Flatten(long start_dim, long end_dim) : base(nameof(Flatten)) => (this.start_dim, this.end_dim) = (start_dim, end_dim);

    private protected override Tensor Compute(Tensor input) => input.flatten(start_dim, end_dim);
}

/// <summary>A module that returns its input.</summary>
public sealed class Identity : PlainBuiltIn
{
    internal Identity() : base(nameof(Identity)) { }

    private protected override Tensor Compute(Tensor input) => input.alias();
}
