using System.ComponentModel;
using TorchSharp.Modules;

namespace Bridge.Torch.Compatibility;

/// <summary>The accessors of <see cref="Softplus"/> in TorchSharp 0.104.0, where the two properties were integers.</summary>
/// <remarks>They are in a base class because a class cannot have two accessors that differ in the result only.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class SoftplusCompatibility : PlainBuiltIn
{
    private protected SoftplusCompatibility() : base(nameof(Softplus)) { }

    private Softplus Self => (Softplus)this;

    /// <summary>0.104.0: returns <see cref="Softplus.beta"/>, cut to an integer.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public int get_beta() => (int)Self.beta;

    /// <summary>0.104.0: sets <see cref="Softplus.beta"/> to an integer.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void set_beta(int value) => Self.beta = value;

    /// <summary>0.104.0: returns <see cref="Softplus.threshold"/>, cut to an integer.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public int get_threshold() => (int)Self.threshold;

    /// <summary>0.104.0: sets <see cref="Softplus.threshold"/> to an integer.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void set_threshold(int value) => Self.threshold = value;
}
