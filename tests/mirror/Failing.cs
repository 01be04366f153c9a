using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Throws, in itself or in its child, before or after the child.</summary>
public sealed class Thrower : Module<Tensor, Tensor>
{
    private readonly Inner inner = new();
    private readonly string where;

    public Thrower(string where) : base(nameof(Thrower))
    {
        this.where = where;
        inner.Throws = where == "inner";
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        if (where == "constructor") throw new NotSupportedException();
        switch (where)
        {
            case "root": throw new ArgumentException("no good at the root");
            case "other":
                try { return inner.call(input); }
                catch (Exception) { throw new InvalidOperationException("another one"); }
            case "wrapped":
                try { return inner.call(input); }
                catch (Exception error) { throw new InvalidOperationException("wrapped", error); }
            case "swallow":
                try { return inner.call(input); }
                catch (Exception) { return input * 2; }
            default: return inner.call(input);
        }
    }
}

public sealed class Inner : Module<Tensor, Tensor>
{
    internal bool Throws;

    public Inner() : base(nameof(Inner)) { }

    public override Tensor forward(Tensor input) =>
        Throws ? throw new InvalidOperationException("no good inside") : input.view(input.numel());
}

public sealed class BadConstructor : Module<Tensor, Tensor>
{
    public BadConstructor() : base(nameof(BadConstructor)) => throw new ArgumentOutOfRangeException("size", "must be positive");

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Calls itself for ever.</summary>
public sealed class Endless : Module<Tensor, Tensor>
{
    public Endless() : base(nameof(Endless)) => RegisterComponents();

    public override Tensor forward(Tensor input) => call(input);
}

/// <summary>Calls itself n times.</summary>
public sealed class Countdown : Module<Tensor, Tensor>
{
    private long left;
    private readonly long start;

    public Countdown(long start) : base(nameof(Countdown)) => this.start = left = start;

    public override Tensor forward(Tensor input)
    {
        if (--left > 0) return call(input);
        left = start;
        return input + 1;
    }
}

/// <summary>Forgot RegisterComponents.</summary>
public sealed class Forgetful : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);

    public Forgetful() : base(nameof(Forgetful)) { }

    public override Tensor forward(Tensor input) => child.call(input);
}

public abstract class Unfinished : Module<Tensor, Tensor>
{
    protected Unfinished() : base(nameof(Unfinished)) { }
}

public sealed class NoModule;

/// <summary>Catches what its child throws, by its class.</summary>
public sealed class Catcher : Module<Tensor, Tensor>
{
    private readonly Thrower child;
    private InvalidOperationException? last;

    public Catcher() : base(nameof(Catcher))
    {
        child = new Thrower("inner");
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        try { return child.call(input); }
        catch (InvalidOperationException error)
        {
            last = error;
            return input * 5;
        }
    }
}
