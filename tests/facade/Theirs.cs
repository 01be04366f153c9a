using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Theirs;

/// <summary>Needs nothing that Bridge.Torch lacks; one child is called, one is bypassed.</summary>
public class Plain : Module<Tensor, Tensor>
{
    private readonly Linear first = Linear(4, 8);
    private readonly Linear second = Linear(8, 2);

    public Plain() : base(nameof(Plain)) => RegisterComponents();

    public override Tensor forward(Tensor x) => second.call(first.forward(x).relu());
}

/// <summary>Needs a type that is out of scope, in its forward.</summary>
public class Scripted : Module<Tensor, Tensor>
{
    private readonly Linear first = Linear(4, 8);

    public Scripted() : base(nameof(Scripted)) => RegisterComponents();

    public override Tensor forward(Tensor x) => first.call(x + new TorchSharp.Data.Loader().GetHashCode());
}

/// <summary>Reaches what Scripted needs, by a field, and by a lambda.</summary>
public class Holder : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> inner;

    public Holder() : base(nameof(Holder))
    {
        var makers = new Func<Module<Tensor, Tensor>>[] { () => new Scripted() };
        inner = makers[0]();
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => inner.call(x);
}

/// <summary>Not a module, and needs nothing.</summary>
public static class Numbers
{
    public static int Two => 2;
}

/// <summary>Calls TorchSharp's native library by itself.</summary>
public class Native : Module<Tensor, Tensor>
{
    public Native() : base(nameof(Native)) { }

    public override Tensor forward(Tensor x)
    {
        THSTorch_manual_seed(1);
        return x;
    }

    [System.Runtime.InteropServices.DllImport("LibTorchSharp")]
    private static extern void THSTorch_manual_seed(long seed);
}
