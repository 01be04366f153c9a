using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Gives what it is made for, whatever it gets.</summary>
public sealed class Gives : Module<Tensor, object?>
{
    private readonly string what;

    public Gives(string what) : base(nameof(Gives)) => this.what = what;

    public override object? forward(Tensor input) => what switch
    {
        "numbers" => ((byte)1, (sbyte)-2, (short)-3, (ushort)4, 5u, ulong.MaxValue, (Half)0.5, 0.25f),
        "half a pair" => "a\ud800b",
        "an object" => (input * 1, new List<object> { input * 2, new Uri("about:blank") }),
        "many" => Enumerable.Range(0, 300).Select(number => input + number).ToList(),
        "itself" => Itself(),
        "itself by name" => ItselfByName(),
        "itself in a tuple" => Itself() is var list ? (input * 1, list) : null,
        "deep" => Deep(input * 1, 100_000),
        "too large" => tensor(new float[0], [1L << 32, 1L << 32]),
        "negative" => tensor(new float[4], [-2, -2]),
        "empty" => tensor(new float[0], [0, 1L << 40]),
        _ => throw new ArgumentException(what),
    };

    private static List<object> Itself()
    {
        var list = new List<object>();
        list.Add(list);
        return list;
    }

    private static Dictionary<string, object> ItselfByName()
    {
        var map = new Dictionary<string, object>();
        map["again"] = new object[] { map };
        return map;
    }

    private static object Deep(object value, int levels)
    {
        for (var level = 0; level < levels; level++) value = new List<object> { value };
        return value;
    }
}

/// <summary>Hands many tensors, a dictionary and a <c>short</c> to its children.</summary>
public sealed class Varied : Module<Tensor, Tensor>
{
    private readonly Sum sum = new();
    private readonly Pick pick = new();

    public Varied() : base(nameof(Varied)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var many = Enumerable.Range(0, 300).Select(number => input * number).ToList();
        return sum.call(many) + pick.call(new() { ["b"] = input, ["a"] = input + 1 }, 3, (2, [0.5f, 1.5f]));
    }

    private sealed class Sum() : Module<List<Tensor>, Tensor>("Sum")
    {
        public override Tensor forward(List<Tensor> items) => items.Aggregate((one, other) => one + other);
    }

    private sealed class Pick() : Module<Dictionary<string, Tensor>, short, (byte, float[]), Tensor>("Pick")
    {
        public override Tensor forward(Dictionary<string, Tensor> items, short times, (byte, float[]) more) =>
            (items["a"] + items["b"]) * times * more.Item1 * more.Item2.Sum();
    }
}

/// <summary>Takes several arguments, and has hooks that see and replace them.</summary>
public sealed class Named : Module<Tensor, double, Tensor?, Tensor>
{
    public Named(string hook) : base(nameof(Named))
    {
        if (hook == "pre") register_forward_pre_hook((_, x, times, plus) => (x + 1, times * 2, plus));
        if (hook == "forward") register_forward_hook((_, x, times, plus, result) => result * 0 + x + times + (plus ?? x * 0));
        if (hook == "plain") register_forward_pre_hook(_ => { });
    }

    public override Tensor forward(Tensor input, double times = 3, Tensor? plus = null) =>
        plus is null ? input * times : input * times + plus;
}
