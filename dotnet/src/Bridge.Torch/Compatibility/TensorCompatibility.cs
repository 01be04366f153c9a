using System.ComponentModel;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Compatibility;

/// <summary>
/// The members of <see cref="Tensor"/> that TorchSharp had before 0.107, for assemblies that were compiled against those versions.
/// </summary>
/// <remarks>
/// They are in a base class because a compiler considers a base class's methods only if no method of the class itself fits: sources bind
/// to the current members.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class TensorCompatibility
{
    private protected TensorCompatibility() { }

    private Tensor Self => (Tensor)this;

    /// <summary>0.102.0 to 0.102.5, like each member below that names no other version.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor? grad() => Self.grad;

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(ScalarType type, bool copy, bool disposeAfter) => Self.to(type, copy, disposeAfter, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(Device device, bool copy, bool disposeAfter) => Self.to(device, copy, disposeAfter, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(ScalarType type, Device device, bool copy, bool disposeAfter) => Self.to(type, device, copy, disposeAfter, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(DeviceType deviceType, int deviceIndex, bool copy, bool disposeAfter) =>
        Self.to(deviceType, deviceIndex, copy, disposeAfter, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(string device, bool copy, bool disposeAfter) => Self.to(device, copy, disposeAfter, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(Tensor other) => Self.to(other, false);

    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to_type(ScalarType type, bool copy, bool disposeAfter) => Self.to_type(type, copy, disposeAfter, false);

    /// <exception cref="ArgumentException">The device is not a CUDA device.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor cuda(Device? device) =>
        device is { type: not DeviceType.CUDA } ? throw new ArgumentException("Not a CUDA device.", nameof(device))
            : Self.cuda(device, false);

    /// <summary>Returns a copy also of a tensor that is already on the device.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor mps() => Self.to(MPS, true, false, false);

    /// <summary>0.102.0 to 0.103.1.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor softplus() => Self.softplus(1.0, 20.0);

    /// <summary>0.104.0.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor softplus(int beta, int threshold) => Self.softplus((double)beta, threshold);

    /// <summary>0.102.0 to 0.105.2. Those versions passed <c>keepdim</c> to libtorch as <c>unbiased</c> (TS-45).</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor var(long[] dimensions, bool keepdim, ScalarType? type) => Self.var(dimensions, true, keepdim, type);
}
