using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Attack;

/// <summary>Makes its child in its first forward.</summary>
public sealed class Lazy : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private Linear? late;

    public Lazy() : base(nameof(Lazy)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        if (late is null)
        {
            late = Linear(4, 4);
            using (no_grad())
            {
                late.weight!.fill_(0.25);
                late.bias!.fill_(0.5);
            }

            register_module("late", late);
        }

        var y = a.call(x);
        return late.call(y);
    }
}

/// <summary>Exchanges its children in mid-forward.</summary>
public sealed class Swapping : Module<Tensor, Tensor>
{
    private Linear a = Linear(4, 4);
    private Linear b = Linear(4, 4);

    public Swapping() : base(nameof(Swapping)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        (a, b) = (b, a);
        var first = a.call(y);
        return first - b.call(y);
    }
}

/// <summary>Catches what its first child throws and runs the second one.</summary>
public sealed class Catching : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);

    public Catching() : base(nameof(Catching)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        try
        {
            return a.call(x);
        }
        catch (Exception)
        {
            return b.call(x);
        }
    }
}

/// <summary>Calls itself.</summary>
public sealed class Recursing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly long times;
    private long left;

    public Recursing(long times) : base(nameof(Recursing))
    {
        this.times = left = times;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        if (left == 0)
        {
            left = times;
            return x;
        }

        left--;
        x = a.call(x).tanh();
        return call(x);
    }
}

/// <summary>Throws, at a place and of a type.</summary>
public sealed class Throwing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);
    private readonly string where;
    private readonly string what;
    private long calls;

    public Throwing(string where, string what) : base(nameof(Throwing))
    {
        this.where = where;
        this.what = what;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        calls++;
        Check("before");
        var y = a.call(x);
        Check("between");
        try
        {
            y = b.call(y);
            Check("inside");
        }
        finally
        {
            if (where == "finally" && calls % 2 == 1) Throw();
        }

        Check("after");
        return y;
    }

    private void Check(string here)
    {
        if (here == where && calls % 2 == 1) Throw();
    }

    private void Throw() => throw (what switch
    {
        "index" => new IndexOutOfRangeException(),
        "key" => new KeyNotFoundException("no such key"),
        "value" => new ArgumentException("a bad value"),
        "type" => new InvalidCastException("a bad type"),
        "zero" => new DivideByZeroException(),
        "todo" => new NotImplementedException(),
        "message" => new Wordless(),
        _ => new InvalidOperationException("it throws"),
    });
}

/// <summary>Throws where it is asked what happened.</summary>
public sealed class Wordless : Exception
{
    public override string Message => throw new InvalidOperationException("no words");

    public override string StackTrace => throw new InvalidOperationException("no frames");

    public override string ToString() => throw new InvalidOperationException("no text");
}

/// <summary>Collects .NET's garbage at any moment of its forward.</summary>
public sealed class Collecting : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);

    public Collecting() : base(nameof(Collecting)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        GC.Collect(0);
        var y = a.call(x);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        y = b.call(y);
        GC.Collect(1);
        return y;
    }
}

/// <summary>An autograd function in C#.</summary>
public sealed class Doubled : autograd.SingleTensorFunction<Doubled>
{
    public override string Name => nameof(Doubled);

    public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
    {
        var x = (Tensor)vars[0];
        ctx.save_for_backward([x]);
        return x * x;
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor gradient)
    {
        var x = ctx.get_saved_variables()[0];
        return [gradient * 2 * x];
    }
}

/// <summary>Uses the autograd function between two layers.</summary>
public sealed class Squaring : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);

    public Squaring() : base(nameof(Squaring)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        x = Doubled.apply(a.call(x));
        return b.call(x);
    }
}
