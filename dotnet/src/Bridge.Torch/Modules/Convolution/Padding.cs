using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>
/// The base class of padding modules. <c>padding</c> is that of <c>torch.nn.functional.pad</c>: the numbers of elements to add before and
/// after the input along its last dimension, then along the second to last dimension, and so on.
/// </summary>
[Settings]
public abstract partial class PadBase : PlainBuiltIn
{
    /// <summary>Creates the base of a padding module.</summary>
    /// <param name="name">The name of the class.</param>
    /// <param name="mode">The kind of elements with which to pad, such as a reflection of the input.</param>
    /// <param name="value">The number with which to pad, in the mode <c>Constant</c>.</param>
    /// <param name="padding">
    /// The numbers of elements to add before and after the input along its last dimension, then along the second to last dimension, and so
    /// on.
    /// </param>
    protected PadBase(string name, PaddingModes mode, double value, params long[] padding) : base(name) =>
        (_mode, this.value, this.padding) = (mode, value, padding);

    private readonly PaddingModes _mode;

    private protected sealed override Tensor Compute(Tensor input) => nn.functional.pad(input, padding, _mode, value);
}

/// <summary>Padding with a constant, for [N, C, L] or [C, L].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad1d.html">ConstantPad1d</see>.</remarks>
public sealed class ConstantPad1d : PadBase
{
    internal ConstantPad1d(long[] padding, double value) : base(nameof(ConstantPad1d), PaddingModes.Constant, value, padding) { }
}

/// <summary>Padding with a constant, for [N, C, H, W] or [C, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad2d.html">ConstantPad2d</see>.</remarks>
public sealed class ConstantPad2d : PadBase
{
    internal ConstantPad2d(long[] padding, double value) : base(nameof(ConstantPad2d), PaddingModes.Constant, value, padding) { }
}

/// <summary>Padding with a constant, for [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad3d.html">ConstantPad3d</see>.</remarks>
public sealed class ConstantPad3d : PadBase
{
    internal ConstantPad3d(long[] padding, double value) : base(nameof(ConstantPad3d), PaddingModes.Constant, value, padding) { }
}

/// <summary>Padding with a reflection of the input, for [N, C, L] or [C, L].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad1d.html">ReflectionPad1d</see>.
/// </remarks>
public sealed class ReflectionPad1d : PadBase
{
    internal ReflectionPad1d(long[] padding) : base(nameof(ReflectionPad1d), PaddingModes.Reflect, 0, padding) { }
}

/// <summary>Padding with a reflection of the input, for [N, C, H, W] or [C, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html">ReflectionPad2d</see>.
/// </remarks>
public sealed class ReflectionPad2d : PadBase
{
    internal ReflectionPad2d(long[] padding) : base(nameof(ReflectionPad2d), PaddingModes.Reflect, 0, padding) { }
}

/// <summary>Padding with a reflection of the input, for [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad3d.html">ReflectionPad3d</see>.
/// </remarks>
public sealed class ReflectionPad3d : PadBase
{
    internal ReflectionPad3d(long[] padding) : base(nameof(ReflectionPad3d), PaddingModes.Reflect, 0, padding) { }
}

/// <summary>Padding with copies of the outermost elements, for [N, C, L] or [C, L].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad1d.html">ReplicationPad1d</see>.
/// </remarks>
public sealed class ReplicationPad1d : PadBase
{
    internal ReplicationPad1d(long[] padding) : base(nameof(ReplicationPad1d), PaddingModes.Replicate, 0, padding) { }
}

/// <summary>Padding with copies of the outermost elements, for [N, C, H, W] or [C, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad2d.html">ReplicationPad2d</see>.
/// </remarks>
public sealed class ReplicationPad2d : PadBase
{
    internal ReplicationPad2d(long[] padding) : base(nameof(ReplicationPad2d), PaddingModes.Replicate, 0, padding) { }
}

/// <summary>Padding with copies of the outermost elements, for [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad3d.html">ReplicationPad3d</see>.
/// </remarks>
public sealed class ReplicationPad3d : PadBase
{
    internal ReplicationPad3d(long[] padding) : base(nameof(ReplicationPad3d), PaddingModes.Replicate, 0, padding) { }
}

/// <summary>Padding with zeros, for [N, C, H, W] or [C, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ZeroPad2d.html">torch.nn.ZeroPad2d</see>.</remarks>
public sealed class ZeroPad2d : PadBase
{
    internal ZeroPad2d(long[] padding) : base(nameof(ZeroPad2d), PaddingModes.Constant, 0, padding) { }
}
