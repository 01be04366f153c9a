using TorchSharp;
using TorchSharp.Modules;

namespace Bridge.Torch;

/// <summary>The base class of built-in modules that map one tensor to one tensor.</summary>
/// <remarks>
/// A direct call of <c>forward</c> bypasses the hooks (C-3). Such a call is recorded, so that a trace can name the bypassed module.
/// </remarks>
public abstract class BuiltIn : torch.nn.Module<torch.Tensor, torch.Tensor>
{
    // A class derived by the user may create intermediate tensors.
    private protected BuiltIn(string name) : base(name) => MakesIntermediates = GetType().Assembly != typeof(BuiltIn).Assembly;

    private protected BuiltIn(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    /// <inheritdoc/>
    public override torch.Tensor forward(torch.Tensor input)
    {
        if (RecordedFrame.Current is not { } frame || !frame.IsDirectForward(this)) return ComputeOrForward(input);
        var result = ComputeOrForward(input);
        frame.RecordBypass(this, result);
        return result;
    }

    private protected abstract torch.Tensor Compute(torch.Tensor input);

    private torch.Tensor ComputeOrForward(torch.Tensor input)
    {
        if (Link is { RunsInPython: true } link) return Tuples<torch.Tensor>.Pack(link.Forward([input]));
        return Compute(input ?? throw new ArgumentNullException(nameof(input), "The input is null; a tensor is needed."));
    }
}

/// <summary>The base class of built-in modules without parameters that map one tensor to one tensor.</summary>
public abstract class PlainBuiltIn : ParameterLessModule<torch.Tensor, torch.Tensor>
{
    private protected PlainBuiltIn(string name) : base(name) => MakesIntermediates = false;

    /// <inheritdoc/>
    public sealed override torch.Tensor forward(torch.Tensor input)
    {
        if (RecordedFrame.Current is not { } frame || !frame.IsDirectForward(this)) return ComputeOrForward(input);
        var result = ComputeOrForward(input);
        frame.RecordBypass(this, result);
        return result;
    }

    private protected abstract torch.Tensor Compute(torch.Tensor input);

    private torch.Tensor ComputeOrForward(torch.Tensor input)
    {
        if (Link is { RunsInPython: true } link) return Tuples<torch.Tensor>.Pack(link.Forward([input]));
        return Compute(input ?? throw new ArgumentNullException(nameof(input), "The input is null; a tensor is needed."));
    }
}
