using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>What the models of this file have in common: modules without weights, and places for tensors.</summary>
public abstract class Uses(string name) : Module<Tensor, Tensor>(name)
{
    protected static readonly List<Tensor> shown = [];
    protected static Tensor? everywhere;
    protected readonly Module<Tensor, Tensor> tanh = Tanh();
    protected readonly ReLU relu = ReLU();
    protected readonly ReLU inplace = ReLU(inplace: true);
    protected readonly Identity identity = Identity();
    protected readonly Dropout dropout = Dropout();
    protected readonly ArgumentKeeper keeper = new();
    protected readonly ResultKeeper memo = new();
    protected Tensor? kept;

    public static Tensor Shown() => stack(shown.ToArray());
}

/// <summary>Keeps its argument.</summary>
public sealed class ArgumentKeeper : Module<Tensor, Tensor>
{
    public ArgumentKeeper() : base(nameof(ArgumentKeeper)) { }

    public Tensor? Kept { get; private set; }

    public override Tensor forward(Tensor input)
    {
        Kept = input;
        return input * 2;
    }
}

/// <summary>Passes its argument on to a module that keeps it.</summary>
public sealed class ArgumentPasser : Module<Tensor, Tensor>
{
    private readonly ArgumentKeeper inner;

    public ArgumentPasser(ArgumentKeeper inner) : base(nameof(ArgumentPasser)) => this.inner = inner;

    public override Tensor forward(Tensor input) => inner.call(input);
}

/// <summary>Keeps its result.</summary>
public sealed class ResultKeeper : Module<Tensor, Tensor>
{
    private readonly Tanh tanh = Tanh();

    public ResultKeeper() : base(nameof(ResultKeeper)) => RegisterComponents();

    public Tensor? Last { get; private set; }

    public override Tensor forward(Tensor input) => Last = tanh.call(input);
}

/// <summary>Keeps both of its arguments.</summary>
public sealed class PairKeeper : Module<Tensor, Tensor, Tensor>
{
    public PairKeeper() : base(nameof(PairKeeper)) { }

    public Tensor? First { get; private set; }

    public override Tensor forward(Tensor first, Tensor second) => (First = first) + second;
}

public sealed class Nested : Uses
{
    public Nested() : base(nameof(Nested)) => RegisterComponents();

    public override Tensor forward(Tensor x) => tanh.call(relu.call(tanh.call(relu.call(tanh.call(relu.call(tanh.call(x)))))));
}

public sealed class Looped : Uses
{
    public Looped() : base(nameof(Looped)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        for (var i = 0; i < 4; i++)
        {
            x = relu.call(tanh.call(x));
            if (i % 2 == 0) x = functional.gelu(x);
        }

        return x;
    }
}

public sealed class Functions : Uses
{
    public Functions() : base(nameof(Functions)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = functional.relu(x.tanh()).sigmoid().tanh();
        y = functional.gelu(y.view(-1)).reshape(x.shape).mul(2);
        return Twice(tanh.call(Twice(y.sin())));
    }

    private static Tensor Twice(Tensor x) => (x * 2).cos();
}

public sealed class Blocks : Uses
{
    private readonly Sequential blocks = Sequential(new Nested(), new Looped(), new Nested(), ReLU(), new Looped());

    public Blocks() : base(nameof(Blocks)) => RegisterComponents();

    public override Tensor forward(Tensor x) => tanh.call(blocks.call(relu.call(blocks.call(x))));
}

public sealed class Shortcut : Uses
{
    private readonly Module<Tensor, Tensor>? shortcut = Tanh();

    public Shortcut() : base(nameof(Shortcut)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var x = relu.call(tanh.call(input));
        x = inplace.call(tanh.call(x).neg());
        x += shortcut is null ? input : shortcut.call(input);
        x.add_(tanh.call(input));
        return relu.call(x);
    }
}

public sealed class UsedTwice : Uses
{
    public UsedTwice() : base(nameof(UsedTwice)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        return relu.call(y) + y;
    }
}

public sealed class WithItself : Uses
{
    public WithItself() : base(nameof(WithItself)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var z = y * y;
        return (z + z) * y.sin().sin();
    }
}

public sealed class Assigned : Uses
{
    public Assigned() : base(nameof(Assigned)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        Tensor y, z;
        y = z = tanh.call(x);
        return relu.call(y) + relu.call(z);
    }
}

public sealed class InField : Uses
{
    public InField() : base(nameof(InField)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        kept = tanh.call(x);
        everywhere = relu.call(kept).sin();
        return relu.call(kept) + kept + relu.call(everywhere) + everywhere;
    }
}

public sealed class InCollections : Uses
{
    public InCollections() : base(nameof(InCollections)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var list = new List<Tensor> { tanh.call(x) };
        var array = new[] { relu.call(x) };
        var map = new Dictionary<string, Tensor> { ["one"] = tanh.call(x).sin() };
        var pair = (tanh.call(x), 1);
        var sum = relu.call(list[0]) + relu.call(array[0]) + relu.call(map["one"]) + relu.call(pair.Item1);
        return sum + list[0] + array[0] + map["one"] + pair.Item1;
    }
}

public sealed class InArray : Uses
{
    public InArray() : base(nameof(InArray)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var joined = cat(new[] { y, relu.call(y) });
        return cat(new[] { joined, relu.call(joined) }).view(4, -1).sum(new long[] { 0 }).view(x.shape);
    }
}

public sealed class InClosure : Uses
{
    public InClosure() : base(nameof(InClosure)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var read = () => relu.call(y);
        return Local() + read() + y;

        Tensor Local() => relu.call(y).sin();
    }
}

public sealed class InLocalFunction : Uses
{
    public InLocalFunction() : base(nameof(InLocalFunction)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        return Local() + Local() + y;

        Tensor Local() => relu.call(y);
    }
}

public sealed class Before : Uses
{
    public Before() : base(nameof(Before)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        Tensor before = x, first = x;
        for (var i = 0; i < 4; i++)
        {
            before = x;
            x = tanh.call(x);
            if (i == 1) first = x;
        }

        return before + x + first;
    }
}

public sealed class Swapped : Uses
{
    public Swapped() : base(nameof(Swapped)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var (a, b) = (tanh.call(x), relu.call(x));
        for (var i = 0; i < 5; i++) (a, b) = (b, tanh.call(a));
        return a - b;
    }
}

public sealed class Branched : Uses
{
    public Branched() : base(nameof(Branched)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var z = x.shape[0] > 1 ? relu.call(y) : y;
        if (x.shape[0] == 1) return z;
        return z + y;
    }
}

public sealed class SameObject : Uses
{
    public SameObject() : base(nameof(SameObject)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var z = identity.call(y);
        return relu.call(identity.call(x)) + relu.call(z) + z + inplace.call(tanh.call(dropout.call(x)).neg()) + dropout.call(x);
    }
}

public sealed class Views : Uses
{
    public Views() : base(nameof(Views)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var view = y.view(-1);
        var row = tanh.call(x)[0];
        return relu.call(view.view(x.shape)) + y.T + row;
    }
}

public sealed class KeptByChild : Uses
{
    public KeptByChild() : base(nameof(KeptByChild)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = keeper.call(tanh.call(x));
        return y + relu.call(memo.call(x)) + keeper.Kept! + memo.Last!;
    }
}

public sealed class KeptFarBelow : Uses
{
    private readonly ArgumentPasser passer;
    private readonly Sequential sequence;
    private readonly PairKeeper pair = new();

    public KeptFarBelow() : base(nameof(KeptFarBelow))
    {
        passer = new(keeper);
        sequence = Sequential(Tanh(), new ArgumentPasser(keeper), Tanh());
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var y = passer.call(tanh.call(x)) + keeper.Kept!;
        return y + sequence.call(x) + keeper.Kept! + pair.call(tanh.call(x), relu.call(x)) + pair.First!;
    }
}

public class Helped : Uses
{
    public Helped() : base(nameof(Helped)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var z = Store(relu.call(y.sin()));
        var both = Same(tanh.call(x));
        Split(tanh.call(x), out var w);
        return z + kept! + Use(both) + both + Overridden(tanh.call(x)) + shown[^1] + w;
    }

    private protected virtual Tensor Overridden(Tensor x) => relu.call(x);

    private static Tensor Same(Tensor x) => x;

    private Tensor Use(Tensor x) => relu.call(x);

    private void Split(Tensor x, out Tensor half) => half = relu.call(x) + x;

    private Tensor Store(Tensor x)
    {
        kept = x;
        return relu.call(x);
    }
}

public sealed class Overriding : Helped
{
    private protected override Tensor Overridden(Tensor x)
    {
        shown.Add(x);
        return relu.call(x);
    }
}

public sealed class Caught : Uses
{
    public Caught() : base(nameof(Caught)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        try
        {
            return relu.call(y).matmul(x[0][0].expand(3, 3));
        }
        catch (Exception)
        {
            return relu.call(y) + y;
        }
        finally
        {
            kept = y;
        }
    }
}

public sealed class Failing : Uses
{
    public Failing() : base(nameof(Failing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = relu.call(tanh.call(x));
        if (x.shape[0] == 512) throw new InvalidOperationException("too many rows");
        return tanh.call(y);
    }
}

public sealed class Enumerated : Uses
{
    public Enumerated() : base(nameof(Enumerated)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        Tensor? sum = null;
        foreach (var y in Results(x)) sum = sum is null ? y : relu.call(y) + y + sum;
        return Later(x).Result + sum!;
    }

    private async Task<Tensor> Later(Tensor x)
    {
        var y = tanh.call(x);
        await Task.Yield();
        return relu.call(y) + y;
    }

    private IEnumerable<Tensor> Results(Tensor x)
    {
        var y = tanh.call(x);
        yield return y;
        yield return relu.call(y);
        yield return y;
    }
}

public sealed class WithTable : Uses
{
    public WithTable() : base(nameof(WithTable)) => RegisterComponents();

    public override Tensor forward(Tensor x) => relu.call(tanh.call(x)) + relu.call(Table.Values) + Table.Values;

    private static class Table
    {
        internal static readonly Tensor Values = ones(256, 256).sin().cos();
    }
}

public sealed class Scoped : Uses
{
    public Scoped() : base(nameof(Scoped)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        using var scope = NewDisposeScope();
        var y = tanh.call(x);
        return (relu.call(y) + y).MoveToOuterDisposeScope();
    }
}

public sealed class Unusual : Uses
{
    public Unusual() : base(nameof(Unusual)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = tanh.call(x);
        var handle = y.sin().Handle;
        var z = tanh.call(x).DetachFromDisposeScope();
        var sum = relu.call(z) + z + identity.forward(y) + relu.call(y);
        z.Dispose();
        return handle == IntPtr.Zero ? x : sum - functional.dropout(y, 0.5, false) + (y > 0).to(float32).relu();
    }
}

/// <summary>A child whose hooks keep the tensors that they get.</summary>
public sealed class WithHooks : Uses
{
    public WithHooks() : base(nameof(WithHooks))
    {
        RegisterComponents();
        relu.register_forward_pre_hook((Module<Tensor, Tensor> _, Tensor input) =>
        {
            shown.Add(input);
            return null!;
        });
        tanh.register_forward_hook((Module<Tensor, Tensor> _, Tensor _, Tensor output) =>
        {
            shown.Add(output);
            return null!;
        });
    }

    public override Tensor forward(Tensor x)
    {
        shown.Clear();
        return inplace.call(identity.call(relu.call(tanh.call(x).sin()))).cos();
    }
}

/// <summary>Gives what the hooks of <see cref="WithHooks"/> have kept.</summary>
public sealed class KeptByHooks : Module<Tensor, Tensor>
{
    public KeptByHooks() : base(nameof(KeptByHooks)) { }

    public override Tensor forward(Tensor input) => Uses.Shown();
}
