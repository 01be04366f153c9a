using TorchSharp;
using TorchSharp.Modules;

namespace Bridge.Torch;

/// <summary>A module of ours with one tensor in and one out.</summary>
/// <remarks>As everywhere, a direct <c>forward()</c> bypasses the hooks (C-3), but here it is recorded, so a trace can say which module was bypassed.</remarks>
public abstract class BuiltIn : torch.nn.Module<torch.Tensor, torch.Tensor>
{
    // A user's class may derive from some of ours.
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
        return Compute(input ?? throw new ArgumentNullException(nameof(input), "A tensor is needed, null was given."));
    }
}

/// <summary>The same for one without parameters.</summary>
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
        return Compute(input ?? throw new ArgumentNullException(nameof(input), "A tensor is needed, null was given."));
    }
}
