// Classes that use torch.jit and torch.export, which Bridge.Torch lacks: some from construction and call, some only elsewhere.
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Reached;

public static class Factories
{
    public static Module<Tensor, Tensor> Plain(long width = 3) => Linear(4, width);

    public static Module<Tensor, Tensor> Scripted(string path) => new Wrapped(path);

    public static Tensor Run(string path, Tensor x) => jit.load<Tensor, Tensor>(path).call(x);
}

public class Wrapped : Module<Tensor, Tensor>
{
    private readonly string path;

    public Wrapped(string path) : base(nameof(Wrapped)) => this.path = path;

    public override Tensor forward(Tensor x) => jit.load<Tensor, Tensor>(path).call(x);
}

public class Trained : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 2);

    public Trained() : base(nameof(Trained)) => RegisterComponents();

    public jit.ScriptModule? Script => null;

    public override Tensor forward(Tensor x)
    {
        // By reflection, which no check sees.
        if (x.shape[0] == 2) typeof(Trained).GetMethod(nameof(Run))!.Invoke(this, null);
        if (x.shape[0] == 3) typeof(Trained).GetMethod(nameof(Read))!.Invoke(this, null);
        return new[] { x }.Select(item => fc.forward(item)).First();
    }

    public void Run()
    {
        using var program = Exported("model.pt2");
        Console.WriteLine(program.call().Length);
    }

    public string Read() => jit.load<Tensor, Tensor>("model.pt").GetName();

    public ExportedProgram Exported(string path) => new[] { path }.Select(item => export.load(item)).First();
}

public class Outer : Module<Tensor, Tensor>
{
    private readonly Trained inner = new();

    public Outer() : base(nameof(Outer)) => RegisterComponents();

    public override Tensor forward(Tensor x) => inner.call(x);
}

public class Held : Module<Tensor, Tensor>
{
    private jit.ScriptModule? script = null;

    public Held() : base(nameof(Held)) => RegisterComponents();

    public override Tensor forward(Tensor x) => script is null ? x : x.neg();
}

public class HoldsProgram : Module<Tensor, Tensor>
{
    private readonly Holder? holder = null;

    public HoldsProgram() : base(nameof(HoldsProgram)) => RegisterComponents();

    public override Tensor forward(Tensor x) => holder is null ? x : x.neg();

    public class Holder
    {
        public ExportedProgram? Program;
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

    protected override Tensor Step(Tensor x) => jit.load<Tensor, Tensor>("a").call(x);
}

public class FitScripted : Stepped
{
    public FitScripted() : base(nameof(FitScripted)) { }

    public override void Fit() => jit.load<Tensor, Tensor>("a");

    protected override Tensor Step(Tensor x) => x.neg();
}

public interface IPart<T>
{
    T Run(T x);
}

public class Part : IPart<Tensor>
{
    Tensor IPart<Tensor>.Run(Tensor x) => jit.load<Tensor, Tensor>("a").call(x);
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

    private static Tensor Run(Tensor x) => jit.load<Tensor, Tensor>("a").call(x);
}

public class ByLambda : Module<Tensor, Tensor>
{
    public ByLambda() : base(nameof(ByLambda)) { }

    public override Tensor forward(Tensor x) => new[] { "a" }.Select(path => jit.load<Tensor, Tensor>(path).call(x)).First();
}

public class ByIterator : Module<Tensor, Tensor>
{
    public ByIterator() : base(nameof(ByIterator)) { }

    public override Tensor forward(Tensor x) => Each(x).First();

    private static IEnumerable<Tensor> Each(Tensor x)
    {
        yield return jit.load<Tensor, Tensor>("a").call(x);
    }
}

public class ByOverload : Module<Tensor, Tensor>
{
    public ByOverload() : base(nameof(ByOverload)) { }

    public override Tensor forward(Tensor x) => x;

    public Tensor forward(Tensor x, string path) => jit.load<Tensor, Tensor>(path).call(x);
}

public class ByConstructor : Module<Tensor, Tensor>
{
    public ByConstructor() : base(nameof(ByConstructor)) { }

    public ByConstructor(string path) : base(nameof(ByConstructor)) => jit.load<Tensor, Tensor>(path);

    public override Tensor forward(Tensor x) => x;
}

public class ByStaticField : Module<Tensor, Tensor>
{
    private static readonly string Name = Read();

    public ByStaticField() : base(nameof(ByStaticField)) { }

    public override Tensor forward(Tensor x) => Name.Length == 0 ? x : x.neg();

    private static string Read() => jit.load<Tensor, Tensor>("a").GetName();
}

public class ByDispose : Module<Tensor, Tensor>
{
    public ByDispose() : base(nameof(ByDispose)) { }

    public override Tensor forward(Tensor x) => x;

    protected override void Dispose(bool disposing)
    {
        jit.load<Tensor, Tensor>("a");
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
    public Made() => jit.load<Tensor, Tensor>("a");
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
        return jit.load<Tensor, Tensor>("a").call(x);
    }
}
