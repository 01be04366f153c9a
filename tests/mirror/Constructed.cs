using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Says which constructor made it, of what.</summary>
public sealed class Constructed : Module<Tensor, string>
{
    private readonly string how;

    public Constructed(long inputs, double rate = 0.5, bool bias = true, string name = "net", DayOfWeek day = DayOfWeek.Monday,
        long[]? sizes = null)
        : base(nameof(Constructed)) =>
        how = FormattableString.Invariant($"{inputs} {rate} {bias} {name} {day} {string.Join(",", sizes ?? [])}");

    public Constructed(string path, bool forward_fires) : base(nameof(Constructed)) => how = $"{path} {forward_fires}";

    public static Constructed Make(long inputs, long outputs = 2) => new(inputs, outputs);

    public override string forward(Tensor input) => how;
}

/// <summary>Two constructors take a number, two a text.</summary>
public sealed class Ambiguous : Module<Tensor, string>
{
    private readonly string how;

    public Ambiguous(long number) : base(nameof(Ambiguous)) => how = $"integer {number}";

    public Ambiguous(double number) : base(nameof(Ambiguous)) => how = FormattableString.Invariant($"real {number}");

    public Ambiguous(string text) : base(nameof(Ambiguous)) => how = $"text {text}";

    public Ambiguous(DayOfWeek day) : base(nameof(Ambiguous)) => how = $"day {day}";

    public Ambiguous(int one, string two) : base(nameof(Ambiguous)) => how = $"int {one} {two}";

    public Ambiguous(long one, string two) : base(nameof(Ambiguous)) => how = $"long {one} {two}";

    public Ambiguous(Uri one, bool two) : base(nameof(Ambiguous)) => how = $"uri {one} {two}";

    public Ambiguous(Version one, bool two) : base(nameof(Ambiguous)) => how = $"version {one} {two}";

    public override string forward(Tensor input) => how;
}

/// <summary>Has parameters and buffers, of which one is a plain field.</summary>
public sealed class Normed : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> norm = BatchNorm1d(2);
    private readonly Tensor offset = zeros(2);

    public Normed() : base(nameof(Normed)) => RegisterComponents();

    public override Tensor forward(Tensor input) => norm.call(input) + offset;
}

/// <summary>Reads sizes or elements, or none.</summary>
public sealed class Shaped(string what) : Module<Tensor, Tensor>(nameof(Shaped))
{
    public override Tensor forward(Tensor input) => what switch
    {
        "shape" => input.view(input.shape[0], -1),
        "size" => input.view(input.size(0), -1),
        "numel" => input / input.numel(),
        // What LINQ calls is the operator itself, as where a lambda is inlined.
        "LINQ" => input / new[] { input }.Sum(typeof(Tensor).GetMethod("numel")!.CreateDelegate<Func<Tensor, long>>()),
        "item" => input * input.sum().item<float>(),
        _ => input.flatten(1).relu() + input,
    };
}

/// <summary>A recurrent layer, whose state has the size of the batch, between operators of its own.</summary>
public sealed class Recurrent : Module<Tensor, Tensor>
{
    private readonly LSTM lstm = LSTM(3, 4, batchFirst: true);
    private readonly Linear head = Linear(4, 3);

    public Recurrent() : base(nameof(Recurrent)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var places = arange(3, dtype: float32, device: input.device).expand_as(input);
        var (output, _, _) = lstm.call(input + places);
        return (input - head.call(output)).transpose(0, 1).split(1, 2)[1].flatten(1) * 2;
    }
}

/// <summary>Two operators in place on what autograd follows; the first makes a Python object of it.</summary>
public sealed class InPlace : Module<Tensor, Tensor>
{
    private readonly Linear layer = Linear(3, 3);

    public InPlace() : base(nameof(InPlace)) => RegisterComponents();

    public override Tensor forward(Tensor x) => layer.call(x).add_(1).mul_(2);
}
