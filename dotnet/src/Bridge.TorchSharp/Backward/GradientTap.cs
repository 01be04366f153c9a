using TorchSharp;
using Tensor = TorchSharp.torch.Tensor;

namespace Bridge.TorchSharp;

/// <summary>Returns tensors as they are, and passes their gradients through a function.</summary>
internal sealed class GradientTap : torch.autograd.MultiTensorFunction<GradientTap>
{
    private const string Key = "pass";

    // Native code reads the handles of the gradients after `backward` has returned: this keeps the tensors from the finalizer until then.
    [ThreadStatic]
    private static Tensor?[]? _passed;

    public override string Name => nameof(GradientTap);

    /// <summary>Taps tensors that require grad.</summary>
    /// <param name="tensors">The tensors. One that does not require grad would do so afterwards.</param>
    /// <param name="pass">
    /// Returns the gradients to go on with, as many as it gets; null stands for no gradient. It must not refer to a tensor of the graph:
    /// TorchSharp has a static list of the nodes that are alive.
    /// </param>
    internal static List<Tensor> Tap(IEnumerable<Tensor> tensors, Func<Tensor?[], Tensor?[]> pass) => apply([.. tensors, pass]);

    public override List<Tensor> forward(torch.autograd.AutogradContext ctx, params object[] vars)
    {
        // True would make zeros like a tensor of TorchSharp's that a DisposeScope may have disposed. That exception ends the process.
        ctx.set_materialize_grads(false);
        ctx.save_data(Key, vars[^1]);
        return [.. vars[..^1].Cast<Tensor>()];
    }

    public override List<Tensor> backward(torch.autograd.AutogradContext ctx, List<Tensor> grad_outputs)
    {
        Tensor?[] given = [.. grad_outputs.Select(gradient => gradient is { IsInvalid: false } ? gradient : null)];
        var passed = _passed = BackwardFailure.Guard(given, (Func<Tensor?[], Tensor?[]>)ctx.get_data(Key));
        return [.. passed.Select(gradient => gradient!), null!]; // Null for `pass`, which is no tensor.
    }
}
