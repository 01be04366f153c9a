using System.Globalization;
using Parallel = System.Threading.Tasks.Parallel;

namespace Attack;

/// <summary>
/// Waits in a static initializer, in its constructor and in <c>forward</c> for tasks that call into Python, as operators of a Scalar do.
/// </summary>
public sealed class Waiting : OneLayer
{
    private static readonly long Length = Task.Run(Clamp).Result;

    public Waiting()
    {
        if (Task.Run(Clamp).Result != Length) throw new InvalidOperationException();
    }

    public override Tensor forward(Tensor x) => a.call(x) * (Task.Run(Clamp).Result / Length);

    private static long Clamp()
    {
        using var made = ones(4).clamp(0, 1);
        return made.numel();
    }
}

/// <summary>A class that no model uses: its initializer would throw.</summary>
public static class Unused
{
    public static readonly string Never = new Func<string>(() => throw new InvalidOperationException("nobody uses this class"))();
}

/// <summary>Makes and drops eight megabytes in its constructor.</summary>
public sealed class Dropping : OneLayer
{
    public Dropping()
    {
        for (var i = 0; i < 8; i++) full(256, 1024, i);
    }
}

/// <summary>Uses memory that is not its own, or changes the state of its thread or of PyTorch.</summary>
public sealed class Runtime(string what) : OneLayer
{
    public override Tensor forward(Tensor x)
    {
        switch (what)
        {
            case "borrow":
                Parallel.For(0, 4, _ => Borrow().Dispose());
                return a.call(x) + Borrow();
            case "race": // Disposes on many threads at once what a hook may keep.
                var y = a.call(x);
                var result = y * 2;
                Parallel.For(0, 4, _ => y.Dispose());
                return result;
            case "write":
                var data = x.data<float>();
                for (long i = 0; i < data.Count; i++) data[i] = 7;
                break;
            case "culture":
                var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
                culture.NumberFormat.NegativeSign = "\u2212";
                culture.NumberFormat.NumberDecimalSeparator = ",";
                CultureInfo.CurrentCulture = culture;
                break;
            case "type":
                set_default_dtype(ScalarType.Float64);
                return a.call(x) + ones(1);
        }

        return a.call(x);
    }

    private static Tensor Borrow() => frombuffer(new float[] { 1, 2, 3, 4 }, ScalarType.Float32);
}

/// <summary>Ends the process from C#, or starts a thread that keeps .NET busy.</summary>
public sealed class Ending(string how, long code) : OneLayer
{
    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        var exit = new Thread(() => Environment.Exit((int)code));
        if (how == "exit") Environment.Exit((int)code);
        if (how == "later") exit.Start();
        if (how == "thread")
        {
            exit.Start();
            exit.Join();
        }

        if (how == "foreground") new Thread(() => { while (true) { using var z = ones(3) * 2; } }) { IsBackground = false }.Start();
        return y;
    }
}
