// Classes that use TorchSharp.Data, which Bridge.Torch lacks: some from construction and call, some only elsewhere.
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Reached;

public static class Factories
{
    public static Module<Tensor, Tensor> Plain(long width = 3) => Linear(4, width);

    public static Module<Tensor, Tensor> Scripted(string path) => new Wrapped(path);

    public static Tensor Run(string path, Tensor x) => x + new TorchSharp.Data.Loader().GetHashCode();
}

public class Wrapped : Module<Tensor, Tensor>
{
    private readonly string path;

    public Wrapped(string path) : base(nameof(Wrapped)) => this.path = path;

    public override Tensor forward(Tensor x) => x + new TorchSharp.Data.Loader().GetHashCode();
}

public class Trained : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 2);

    public Trained() : base(nameof(Trained)) => RegisterComponents();

    public TorchSharp.Data.Loader? Script => null;

    public override Tensor forward(Tensor x)
    {
        // By reflection, which no check sees.
        if (x.shape[0] == 2) typeof(Trained).GetMethod(nameof(Run))!.Invoke(this, null);
        if (x.shape[0] == 3) typeof(Trained).GetMethod(nameof(Read))!.Invoke(this, null);
        return new[] { x }.Select(item => fc.forward(item)).First();
    }

    public void Run()
    {
        using var rows = Loaded("images");
        Console.WriteLine(rows.Size());
    }

    public string Read() => new TorchSharp.Data.Loader().ToString()!;

    public TorchSharp.Data.DataIterator Loaded(string path) =>
        new[] { path }.Select(item => TorchSharp.Data.Loader.MNIST(item, 1)).First();
}

public class Outer : Module<Tensor, Tensor>
{
    private readonly Trained inner = new();

    public Outer() : base(nameof(Outer)) => RegisterComponents();

    public override Tensor forward(Tensor x) => inner.call(x);
}

public class Held : Module<Tensor, Tensor>
{
    private TorchSharp.Data.Loader? script = null;

    public Held() : base(nameof(Held)) => RegisterComponents();

    public override Tensor forward(Tensor x) => script is null ? x : x.neg();
}

public class HoldsRows : Module<Tensor, Tensor>
{
    private readonly Holder? holder = null;

    public HoldsRows() : base(nameof(HoldsRows)) => RegisterComponents();

    public override Tensor forward(Tensor x) => holder is null ? x : x.neg();

    public class Holder
    {
        public TorchSharp.Data.DataIterator? Rows;
    }
}

public abstract class Stepped : Module<Tensor, Tensor>
{
    protected Stepped(string name) : base(name) => RegisterComponents();

    public override Tensor forward(Tensor x) => Step(x);

    public virtual void Fit() => throw new NotSupportedException();

    protected abstract Tensor Step(Tensor x);
}

public class StepScripted : Stepped
{
    public StepScripted() : base(nameof(StepScripted)) { }

    protected override Tensor Step(Tensor x) => x + new TorchSharp.Data.Loader().GetHashCode();
}

public class FitScripted : Stepped
{
    public FitScripted() : base(nameof(FitScripted)) { }

    public override void Fit() => new TorchSharp.Data.Loader();

    protected override Tensor Step(Tensor x) => x.neg();
}

public interface IPart<T>
{
    T Run(T x);
}

public class Part : IPart<Tensor>
{
    Tensor IPart<Tensor>.Run(Tensor x) => x + new TorchSharp.Data.Loader().GetHashCode();
}

public class ByInterface : Module<Tensor, Tensor>
{
    private readonly IPart<Tensor> part = new Part();

    public ByInterface() : base(nameof(ByInterface)) { }

    public override Tensor forward(Tensor x) => part.Run(x);
}

public class ByDelegate : Module<Tensor, Tensor>
{
    private readonly Func<Tensor, Tensor> run = Run;

    public ByDelegate() : base(nameof(ByDelegate)) { }

    public override Tensor forward(Tensor x) => run(x);

    private static Tensor Run(Tensor x) => x + new TorchSharp.Data.Loader().GetHashCode();
}

public class ByLambda : Module<Tensor, Tensor>
{
    public ByLambda() : base(nameof(ByLambda)) { }

    public override Tensor forward(Tensor x) => new[] { "a" }.Select(path => x + new TorchSharp.Data.Loader().GetHashCode()).First();
}

public class ByIterator : Module<Tensor, Tensor>
{
    public ByIterator() : base(nameof(ByIterator)) { }

    public override Tensor forward(Tensor x) => Each(x).First();

    private static IEnumerable<Tensor> Each(Tensor x)
    {
        yield return x + new TorchSharp.Data.Loader().GetHashCode();
    }
}

public class ByOverload : Module<Tensor, Tensor>
{
    public ByOverload() : base(nameof(ByOverload)) { }

    public override Tensor forward(Tensor x) => x;

    public Tensor forward(Tensor x, string path) => x + new TorchSharp.Data.Loader().GetHashCode();
}

public class ByConstructor : Module<Tensor, Tensor>
{
    public ByConstructor() : base(nameof(ByConstructor)) { }

    public ByConstructor(string path) : base(nameof(ByConstructor)) => new TorchSharp.Data.Loader();

    public override Tensor forward(Tensor x) => x;
}

public class ByStaticField : Module<Tensor, Tensor>
{
    private static readonly string Name = Read();

    public ByStaticField() : base(nameof(ByStaticField)) { }

    public override Tensor forward(Tensor x) => Name.Length == 0 ? x : x.neg();

    private static string Read() => new TorchSharp.Data.Loader().ToString()!;
}

public class ByDispose : Module<Tensor, Tensor>
{
    public ByDispose() : base(nameof(ByDispose)) { }

    public override Tensor forward(Tensor x) => x;

    protected override void Dispose(bool disposing)
    {
        new TorchSharp.Data.Loader();
        base.Dispose(disposing);
    }
}

public class ByTypeArgument : Module<Tensor, Tensor>
{
    public ByTypeArgument() : base(nameof(ByTypeArgument)) { }

    public override Tensor forward(Tensor x) => Make<Part>().Run(x);

    private static IPart<Tensor> Make<T>() where T : IPart<Tensor>, new() => new T();
}

public class Made
{
    public Made() => new TorchSharp.Data.Loader();
}

public class ByActivator : Module<Tensor, Tensor>
{
    public ByActivator() : base(nameof(ByActivator)) { }

    public override Tensor forward(Tensor x) => Activator.CreateInstance(typeof(Made)) is null ? x : x.neg();
}

public class OnlyAsks : Module<Tensor, Tensor>
{
    public OnlyAsks() : base(nameof(OnlyAsks)) { }

    public override Tensor forward(Tensor x) => x;

    public IEnumerable<Tensor> Samples()
    {
        yield return export.load("model.pt2").call()[0];
    }

    internal async Task<Tensor> RunAsync(Tensor x)
    {
        await Task.Yield();
        return x + new TorchSharp.Data.Loader().GetHashCode();
    }
}
