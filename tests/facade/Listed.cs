// What bridge.list_models lists: constructors, factories, nested, generic and abstract classes.
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Listed;

public enum Mode
{
    Fast,
    Exact = 4,
}

public class Options
{
    public int Width { get; set; } = 4;
}

public class Net : Module<Tensor, Tensor>
{
    // Nothing may run while the assembly is listed.
    private static readonly int Started = int.Parse(Environment.GetEnvironmentVariable("LISTED") ?? "never");

    private readonly Linear fc = Linear(4, 2);

    public Net(
        int width = 8, double rate = 0.5, float scale = 1.5f, string name = "a\"b", bool bias = true, char mark = 'x', long? size = null,
        Mode mode = Mode.Exact, ScalarType dtype = ScalarType.Float64, DayOfWeek day = DayOfWeek.Friday, TimeSpan span = default,
        decimal price = 1.5m)
        : base(name) => RegisterComponents();

    internal Net(List<(int, string[])> layers, Dictionary<string, int?> counts, Options options, params int[][,] rest) : base("net") =>
        RegisterComponents();

    private Net(object other) : base("net") { }

    public override Tensor forward(Tensor x) => fc.forward(x) + Started;
}

public class Outer
{
    public class Inner : Module<Tensor, Tensor>
    {
        public Inner(long width) : base(nameof(Inner)) => RegisterComponents();

        public override Tensor forward(Tensor x) => x.neg();
    }
}

public abstract class Base : Module<Tensor, Tensor>
{
    protected Base(string name) : base(name) { }
}

public class Generic<T> : Base
{
    public Generic(T value) : base(nameof(Generic<T>)) { }

    public override Tensor forward(Tensor x) => x;
}

public class Closed : Generic<int>
{
    public Closed() : base(3) { }
}

public class Hidden : Module<Tensor, Tensor>
{
    private Hidden() : base(nameof(Hidden)) { }

    public static Hidden Create(Generic<long>? from = null) => new();

    public override Tensor forward(Tensor x) => x;
}

internal static class Factories
{
    internal static Module<Tensor, Tensor> Make(int width) => Linear(4, width);

    internal static Module<Tensor, Tensor> Make(string name, ref int width) => Linear(4, width);

    private static Module<Tensor, Tensor> Secret() => Linear(4, 4);

    public static int Count() => 3;

    public static T Any<T>() where T : new() => new T();
}

public class Hook
{
    public static Tensor[] Scale(Module module, object[] args) => new Tensor[0];
}
