using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Attack;

/// <summary>C# hooks on its children, of every kind, which do what hooks should not.</summary>
public sealed class Listening : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);
    private readonly string how;
    private long fired;
    private bool inside;

    public Listening(string how) : base(nameof(Listening))
    {
        this.how = how;
        RegisterComponents();
        switch (how)
        {
            case "replace":
                a.register_forward_pre_hook((_, x) => x * 2);
                a.register_forward_hook((_, _, y) => y + 1);
                b.register_full_backward_hook((_, inputs, _) => [inputs[0]! * 3]);
                b.register_full_backward_pre_hook((_, outputs) => [outputs[0]! * 2]);
                break;
            case "remove":
                Bridge.Torch.HookRemover? handle = null;
                handle = a.register_forward_hook((_, _, y) =>
                {
                    handle!.remove();
                    return y + 10;
                });
                break;
            case "collect":
                a.register_forward_pre_hook((_, x) => { GC.Collect(); return x; });
                a.register_forward_hook((_, _, y) => { GC.Collect(); GC.WaitForPendingFinalizers(); return y; });
                b.register_full_backward_hook((_, _, _) => { GC.Collect(); return null; });
                break;
            case "reenter":
                a.register_forward_hook((_, _, y) =>
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
                });
                break;
            case "throw":
                a.register_forward_hook((_, _, y) => ++fired % 2 == 1 ? throw new InvalidOperationException("from a hook") : y);
                break;
            case "throw backward":
                b.register_full_backward_hook((_, _, _) => ++fired % 2 == 1 ? throw new InvalidOperationException("from a hook") : null);
                break;
            case "register":
                a.register_forward_hook((_, _, y) =>
                {
                    if (++fired <= 3) b.register_forward_hook((_, _, z) => z * 2);
                    return y;
                });
                break;
            case "tensor":
                a.register_forward_hook((_, _, y) =>
                {
                    if (y.requires_grad) y.register_hook(grad => grad * 2);
                    return y;
                });
                break;
        }
    }

    public override Tensor forward(Tensor x)
    {
        x = a.call(x);
        return b.call(x);
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

/// <summary>Ends the process, or its thread, from C#.</summary>
public sealed class Ending : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly string how;
    private readonly long code;

    public Ending(string how, long code) : base(nameof(Ending))
    {
        this.how = how;
        this.code = code;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        if (how == "exit") Environment.Exit((int)code);
        if (how == "thread")
        {
            var thread = new Thread(() => Environment.Exit((int)code));
            thread.Start();
            thread.Join();
        }

        if (how == "later") new Thread(() => { Thread.Sleep(5); Environment.Exit((int)code); }).Start();
        if (how == "foreground") new Thread(() => { while (true) { using var z = ones(3) * 2; } }) { IsBackground = false }.Start();
        return y;
    }
}
