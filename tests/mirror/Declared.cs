using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A net with <c>hidden</c> units; see <see cref="Pair"/>.</summary>
/// <remarks>It adds a number.</remarks>
public class Declared : Module<Tensor, long, double, string?, (Tensor, long[])>
{
    public readonly long hidden = 8;
    public double rate = 0.5;
    public DayOfWeek day = DayOfWeek.Monday;
    public (long, float) pair = (1, 2);
    public long[] sizes = [1, 2];
    public int? maybe;
    public const int Constant = 3;
    public static int Static = 4;
    public object anything = new();
    private long secret = 1;

    public Declared() : base(nameof(Declared)) => RegisterComponents();

    /// <summary>The name.</summary>
    public string Label { get; set; } = "label";

    public long Twice => hidden * 2;

    public bool Once { get; init; } = true;

    public long Positive
    {
        get => secret;
        set => secret = value > 0 ? value : throw new ArgumentOutOfRangeException(nameof(value), "must be positive");
    }

    public long Throws => throw new KeyNotFoundException("no");

    public long type = 5;

    /// <summary>Multiplies and adds.</summary>
    /// <param name="input">Of any shape.</param>
    /// <param name="times">How often, at most <paramref name="plus"/> times.</param>
    /// <param name="plus">What is added.</param>
    /// <param name="text">Nothing.</param>
    /// <returns>The result, and sizes.</returns>
    public override (Tensor, long[]) forward(Tensor input, long times = 2, double plus = 0.5, string? text = null) =>
        (input * times + rate + (int)day, [hidden, .. sizes]);
}

/// <summary>Derives.</summary>
public sealed class DeclaredBelow : Declared
{
    public bool more = true;
}

public sealed class Undocumented : Module<Dictionary<string, Tensor>, List<Tensor?>, object?, Tensor?>
{
    public Undocumented() : base(nameof(Undocumented)) { }

    public override Tensor? forward(Dictionary<string, Tensor> map, List<Tensor?> lambda, object? any) => null;
}

/// <summary>Made in two ways, called in two ways.</summary>
public sealed class DescribedInHelp : Module<Tensor, Tensor>
{
    public readonly int width;

    public DescribedInHelp(int width, double rate = 0.1, Tensor? start = null) : base(nameof(DescribedInHelp)) =>
        (this.width, Rate) = (width, rate);

    internal DescribedInHelp() : this(3)
    {
    }

    private DescribedInHelp(List<(int, string[])> anything) : base(nameof(DescribedInHelp))
    {
    }

    public double Rate { get; }

    public string? Note { get; init; }

    public long[] Sizes { get; } = [1, 2];

    public int Calls { get; private set; }

    public int Area => throw new InvalidOperationException("code of the class runs");

    public override Tensor forward(Tensor x) => x + width;

    public Tensor forward(Tensor x, Options options, List<(int, string)>? pairs = null) => x;

    public sealed class Options
    {
    }
}

public sealed class TakesOwn : Module<Tensor, DescribedInHelp.Options?, DayOfWeek, Dictionary<string, Tensor>?, DescribedInHelp.Options>
{
    public TakesOwn() : base(nameof(TakesOwn)) { }

    public override DescribedInHelp.Options forward(Tensor x, DescribedInHelp.Options? options = null, DayOfWeek day = DayOfWeek.Monday,
        Dictionary<string, Tensor>? map = null) => new();
}
