using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Failing;

/// <summary>Gives its input; something to hook.</summary>
public sealed class Leaf : Module<Tensor, Tensor>
{
    public Leaf() : base(nameof(Leaf)) { }

    public override Tensor forward(Tensor input) => input.view(input.numel());
}

/// <summary>Adds and multiplies, and gives both: a result that is no tensor.</summary>
public sealed class Both : Module<Tensor, (Tensor, Tensor)>
{
    private readonly double number;

    public Both(double number) : base(nameof(Both)) => this.number = number;

    public override (Tensor, Tensor) forward(Tensor input) => (input + number, input * number);
}

/// <summary>What C# may do with what its children throw.</summary>
public sealed class Handler : Module<Tensor, Tensor>
{
    private static readonly InvalidOperationException Again = new("again");

    private readonly Leaf first = new();
    private readonly Leaf second = new();
    private readonly string what;
    private Exception? kept;

    public Handler(string what) : base(nameof(Handler))
    {
        this.what = what;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        switch (what)
        {
            case "swallow both":
                try { first.call(input); } catch (Exception) { }
                try { second.call(input); } catch (Exception) { }
                return input * 2;
            case "swallow one":
                try { first.call(input); } catch (Exception) { }
                return second.call(input) * 2;
            case "then another":
                try { first.call(input); } catch (Exception) { }
                throw new InvalidOperationException("unrelated");
            case "then an operator":
                try { first.call(input); } catch (Exception) { }
                return input.view(input.numel() + 1);
            case "in a handler":
                try { return first.call(input); }
                catch (Exception) { throw Another(); }
            case "in a handler of another":
                try { first.call(input); } catch (Exception) { }
                try { throw new ArgumentException("C#'s own"); }
                catch (ArgumentException) { throw Another(); }
            case "in a finally":
                try { return first.call(input); }
                finally { Fail(); }
            case "inside":
                try { return first.call(input); }
                catch (Exception error) { throw new InvalidOperationException("outer", new ArgumentException("inner", error)); }
            case "again":
                try { return first.call(input); }
                catch (Exception) { throw Again; }
            case "again alone":
                throw Again;
            case "keep":
                try { return first.call(input); }
                catch (Exception error) { kept ??= error; throw; }
            case "throw kept":
                if (kept is not null) throw kept;
                try { first.call(input); }
                catch (Exception error) { kept = error; }
                return input;
            default:
                return second.call(first.call(input));
        }
    }

    private static InvalidOperationException Another() => new("another");

    private static void Fail() => throw Another();
}

/// <summary>Runs its child on a thread of .NET's own.</summary>
public sealed class Elsewhere : Module<Tensor, Tensor>
{
    private readonly Leaf child = new();
    private readonly string how;

    public Elsewhere(string how) : base(nameof(Elsewhere))
    {
        this.how = how;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        Task<Tensor> Start() => Task.Run(() => child.call(input));
        switch (how)
        {
            case "wait":
                var task = Start();
                task.Wait();
                return task.Result;
            case "result": return Start().Result;
            case "get": return Start().GetAwaiter().GetResult();
            case "await": return Await(Start()).GetAwaiter().GetResult();
            case "all": return Task.WhenAll(Start(), Start()).Result[0];
            case "parallel":
                Tensor? made = null;
                Parallel.For(0, 2, _ => made = child.call(input));
                return made!;
            case "nested": return Task.Run(() => Start().Result).Result;
            case "swallow":
                try { return Start().Result; }
                catch (AggregateException) { return input * 2; }
            case "swallow there":
                return Task.Run(() =>
                {
                    try { return child.call(input); }
                    catch (Exception) { return input * 2; }
                }).Result;
            default:
                Tensor? result = null;
                var thread = new System.Threading.Thread(() =>
                {
                    try { result = child.call(input); }
                    catch (Exception) { result = input * 2; }
                });
                thread.Start();
                thread.Join();
                return result!;
        }
    }

    private static async Task<Tensor> Await(Task<Tensor> task) => await task.ConfigureAwait(false) * 1;
}

/// <summary>Throws an exception whose members throw, or give nothing.</summary>
public sealed class Odd : Module<Tensor, Tensor>
{
    private readonly string what;

    public Odd(string what) : base(nameof(Odd)) => this.what = what;

    public override Tensor forward(Tensor input) => throw new OddException(what);
}

/// <summary>The same after a Python exception that C# caught.</summary>
public sealed class OddAfter : Module<Tensor, Tensor>
{
    private readonly Leaf child = new();
    private readonly string what;

    public OddAfter(string what) : base(nameof(OddAfter))
    {
        this.what = what;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        try { return Called(input); }
        finally
        {
            // Nobody refers to what was caught any more.
            if (what == "plain") GC.Collect();
            if (what == "plain") GC.WaitForPendingFinalizers();
        }
    }

    private Tensor Called(Tensor input)
    {
        try { return child.call(input); }
        catch (Exception) { throw new OddException(what); }
    }
}

// Of this class, since we read the Data of those.
public sealed class OddException(string what) : System.Runtime.InteropServices.ExternalException
{
    public override string Message => what switch
    {
        "message" => throw new NotSupportedException("no message"),
        "null" => null!,
        "surrogate" => "half \ud800 a pair",
        _ => what,
    };

    public override string? StackTrace => what == "stack" ? throw new NotSupportedException("no stack") : base.StackTrace;

    public override System.Collections.IDictionary Data => what switch
    {
        "data" => null!,
        "data throws" => throw new NotSupportedException("no data"),
        _ => base.Data,
    };

    public override string ToString() => throw new NotSupportedException("no text");

    public override bool Equals(object? other) => throw new NotSupportedException("no equality");

    public override int GetHashCode() => throw new NotSupportedException("no hash");
}
