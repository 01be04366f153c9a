using System.Globalization;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Attack;

/// <summary>
/// Waits in a static initializer, in its constructor and in <c>forward</c> for tasks that Python is asked in: a Scalar's operator.
/// </summary>
public sealed class Waiting : Module<Tensor, Tensor>
{
    private static readonly long Length = Task.Run(Clamped).Result;
    private readonly Linear a = Linear(4, 4);

    public Waiting() : base(nameof(Waiting))
    {
        if (Task.Run(Clamped).Result != Length) throw new InvalidOperationException();
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => a.call(x) * (Task.Run(Clamped).Result / Length);

    private static long Clamped()
    {
        using var made = ones(4).clamp(0, 1);
        return made.numel();
    }
}

/// <summary>A class that no model uses: it is not initialized, which would not end.</summary>
public static class Unused
{
    public static readonly string Never = new Func<string>(() => throw new InvalidOperationException("nobody uses this class"))();
}

/// <summary>Makes and drops eight megabytes in its constructor.</summary>
public sealed class Dropping : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Dropping() : base(nameof(Dropping))
    {
        for (var i = 0; i < 8; i++) full(256, 1024, i);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => a.call(x);
}

/// <summary>Computes with the memory of arrays, which the collector wants back.</summary>
public sealed class Borrowing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Borrowing() : base(nameof(Borrowing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        System.Threading.Tasks.Parallel.For(0, 4, _ => frombuffer(new float[] { 1, 2, 3, 4 }, ScalarType.Float32).Dispose());
        return y + frombuffer(new float[] { 1, 2, 3, 4 }, ScalarType.Float32);
    }
}

/// <summary>Disposes on many threads at once what its hooks may keep.</summary>
public sealed class Racing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Racing() : base(nameof(Racing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        var result = y * 2;
        System.Threading.Tasks.Parallel.For(0, 4, _ => y.Dispose());
        return result;
    }
}

/// <summary>Writes into the memory of its input.</summary>
public sealed class Writing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Writing() : base(nameof(Writing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var data = x.data<float>();
        for (long i = 0; i < data.Count; i++) data[i] = 7;
        return a.call(x);
    }
}

/// <summary>Leaves the thread in a culture whose minus sign and decimal separator are not those of programs.</summary>
public sealed class Abroad : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Abroad() : base(nameof(Abroad)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NegativeSign = "\u2212";
        culture.NumberFormat.NumberDecimalSeparator = ",";
        CultureInfo.CurrentCulture = culture;
        return a.call(x);
    }
}

/// <summary>Sets PyTorch's default type.</summary>
public sealed class Typing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Typing() : base(nameof(Typing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        set_default_dtype(ScalarType.Float64);
        return a.call(x) + ones(1);
    }
}
