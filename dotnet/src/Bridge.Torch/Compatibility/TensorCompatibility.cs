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

    /// <summary>0.102.0 to 0.102.5: returns the gradient, which the current property <c>grad</c> has.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor? grad() => Self.grad;

    /// <summary>0.102.0 to 0.102.5: converts to an element type; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(ScalarType type, bool copy, bool disposeAfter) => Self.to(type, copy, disposeAfter, false);

    /// <summary>0.102.0 to 0.102.5: moves to a device; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(Device device, bool copy, bool disposeAfter) => Self.to(device, copy, disposeAfter, false);

    /// <summary>0.102.0 to 0.102.5: converts to an element type and moves to a device; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(ScalarType type, Device device, bool copy, bool disposeAfter) => Self.to(type, device, copy, disposeAfter, false);

    /// <summary>0.102.0 to 0.102.5: moves to a device, given by type and index; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(DeviceType deviceType, int deviceIndex, bool copy, bool disposeAfter) =>
        Self.to(deviceType, deviceIndex, copy, disposeAfter, false);

    /// <summary>0.102.0 to 0.102.5: moves to a device, given by its name; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(string device, bool copy, bool disposeAfter) => Self.to(device, copy, disposeAfter, false);

    /// <summary>0.102.0 to 0.102.5: converts to the element type and device of a tensor; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to(Tensor other) => Self.to(other, false);

    /// <summary>0.102.0 to 0.102.5: converts to an element type, as <c>to</c> does; see the overload with non_blocking.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor to_type(ScalarType type, bool copy, bool disposeAfter) => Self.to_type(type, copy, disposeAfter, false);

    /// <summary>0.102.0 to 0.102.5: moves to a CUDA device, null for the current one; see the overload with non_blocking.</summary>
    /// <exception cref="ArgumentException">The device is not a CUDA device.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor cuda(Device? device) =>
        device is { type: not DeviceType.CUDA } ? throw new ArgumentException("Not a CUDA device.", nameof(device))
            : Self.cuda(device, false);

    /// <summary>
    /// 0.102.0 to 0.102.5: copies to the MPS device, even if the tensor is there already; see the overload with non_blocking.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor mps() => Self.to(MPS, true, false, false);

    /// <summary>0.102.0 to 0.103.1: applies softplus with a beta of 1 and a threshold of 20; see the overload with doubles.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor softplus() => Self.softplus(1.0, 20.0);

    /// <summary>0.104.0: applies softplus with an integer beta and threshold; see the overload with doubles.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor softplus(int beta, int threshold) => Self.softplus((double)beta, threshold);

    /// <summary>
    /// 0.102.0 to 0.105.2: returns the variances; those versions passed <c>keepdim</c> as <c>unbiased</c> (TS-45); see the overload with
    /// unbiased.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Tensor var(long[] dimensions, bool keepdim, ScalarType? type) => Self.var(dimensions, true, keepdim, type);
}
