using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>One argument; needs no libtorch.</summary>
internal class Echo(string name = "echo") : Module<string, string>(name)
{
    internal List<string> Log { get; } = [];

    internal Action? During { get; set; }

    public override string forward(string input)
    {
        Log.Add("forward " + input);
        During?.Invoke();
        return input + "!";
    }
}

/// <summary>Two arguments; needs no libtorch.</summary>
internal sealed class Join() : Module<string, string, string>("join")
{
    internal List<string> Log { get; } = [];

    internal Action? During { get; set; }

    public override string forward(string input1, string input2)
    {
        Log.Add($"forward {input1} {input2}");
        During?.Invoke();
        return input1 + input2;
    }
}

/// <summary>A module for components that a test registers.</summary>
internal sealed class Holder(string name = "holder") : Module<Tensor, Tensor>(name)
{
    public override Tensor forward(Tensor input) => input.alias();

    internal static Holder Of(params (string, Module)[] children)
    {
        var holder = new Holder();
        foreach (var (name, child) in children) holder.register_module(name, child);
        return holder;
    }

    /// <summary>One parameter "w" and one buffer "b".</summary>
    internal static Holder Filled(float value = 1)
    {
        var holder = new Holder();
        holder.register_parameter("w", Parameter(ones([2]) * value));
        holder.register_buffer("b", ones([3]) * value);
        return holder;
    }
}

/// <summary>Registers the fields of a base and a derived class.</summary>
internal class Base : Module<Tensor, Tensor>
{
    private readonly Echo first = new();
    protected readonly Echo shared = new();

    protected Base() : base("base") => RegisterComponents();

    public override Tensor forward(Tensor input) => first.Log.Count == 0 ? input.alias() : input;
}

/// <inheritdoc/>
internal sealed class Derived : Base
{
    [ComponentName(Name = "renamed")]
    private readonly Echo own = new();
    private readonly Echo? nothing = null;
    private readonly Echo[] array = [new()];
    private readonly List<Echo> list = [new()];
    private readonly Dictionary<string, Echo> map = new() { ["a"] = new() };
    private readonly int number = 3;
    private readonly string text = "no component";

    internal object?[] Ignored => [nothing, array, list, map, number, text, own];
}

/// <summary>Tensor fields: parameters, plain tensors, null.</summary>
internal sealed class Fields : Module<Tensor, Tensor>
{
    internal readonly Parameter weight = Parameter(ones([2]));
    internal readonly Tensor statistic = zeros([2]);
    internal readonly Parameter? absent = null;
    internal readonly Tensor? missing = null;
    internal readonly Tensor[] several = [ones([1])];

    internal Fields() : base("fields") => RegisterComponents();

    public override Tensor forward(Tensor input) => input * weight;
}
