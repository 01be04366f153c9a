namespace Attack;

/// <summary>Registers C# hooks of every kind on its children.</summary>
public sealed class Listening : TwoLayers
{
    private long fired;
    private bool inside;

    public Listening(string how)
    {
        Bridge.Torch.HookRemover? handle = null;
        switch (how)
        {
            case "replace":
                a.register_forward_pre_hook((_, x) => x * 2);
                a.register_forward_hook((_, _, y) => y + 1);
                b.register_full_backward_hook((_, inputs, _) => [inputs[0]! * 3]);
                b.register_full_backward_pre_hook((_, outputs) => [outputs[0]! * 2]);
                break;
            case "order":
                a.register_forward_hook((_, _, y) => y + 1);
                a.register_forward_hook((_, _, y) => y * 2);
                a.register_forward_hook((_, _, y) => y - 3, prepend: true);
                break;
            case "remove":
                handle = a.register_forward_hook((_, _, y) => { handle!.remove(); return y + 10; });
                break;
            case "collect":
                a.register_forward_pre_hook((_, x) => { GC.Collect(); return x; });
                a.register_forward_hook((_, _, y) => { GC.Collect(); GC.WaitForPendingFinalizers(); return y; });
                b.register_full_backward_hook((_, _, _) => { GC.Collect(); return null; });
                break;
            case "reenter":
                a.register_forward_hook((_, _, y) => Reenter(y));
                break;
            case "throw":
                a.register_forward_hook((_, _, y) => ++fired % 2 == 1 ? throw new InvalidOperationException("from a hook") : y);
                break;
            case "throw-backward":
                b.register_full_backward_hook((_, _, _) => ++fired % 2 == 1 ? throw new InvalidOperationException("from a hook") : null);
                break;
            case "register":
                a.register_forward_hook((_, _, y) => { if (++fired <= 3) b.register_forward_hook((_, _, z) => z * 2); return y; });
                break;
            case "tensor":
                a.register_forward_hook((_, _, y) => { if (y.requires_grad) y.register_hook(grad => grad * 2); return y; });
                break;
        }
    }

    private Tensor Reenter(Tensor y)
    {
        if (inside) return y;
        inside = true;
        try
        {
            return y + b.call(y) + a.call(y);
        }
        finally
        {
            inside = false;
        }
    }
}

/// <summary>Hooks for modules of either language.</summary>
public static class Loaded
{
    public static void Collect(nn.Module module, object[] args, object output)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    public static Tensor? Add(nn.Module module, object[] args, Tensor output) => output + 1;

    public static object[]? Scale(nn.Module module, object[] args) => args[0] is Tensor x ? [x * 2, .. args[1..]] : null;

    public static void Throw(nn.Module module, object[] args, object output) => throw new InvalidOperationException("from a loaded hook");

    public static Tensor?[] Gradients(nn.Module module, Tensor?[] inputs, Tensor?[] outputs) =>
        inputs.Select(grad => grad is null ? null : grad * 2).ToArray();

    public static Tensor Gradient(Tensor grad) => grad * 3;

    public static void Leave(nn.Module module, object[] args, object output)
    {
        for (var i = 0; i < 3; i++) _ = new Garbage(((Tensor)args[0]).detach().DetachFromDisposeScope(), "dispose");
    }
}
