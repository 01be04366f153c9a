using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Keeps a large tensor in some place while others are freed, and then computes with it: three times its input.</summary>
public sealed class Large : Module<Tensor, string, Tensor>
{
    private static readonly List<Tensor> shown = [];
    private readonly Inner child = new();
    private Tensor? kept;

    public Large(bool hooked = false) : base(nameof(Large))
    {
        RegisterComponents();
        if (hooked)
            child.register_forward_hook((Module<Tensor, Tensor> _, Tensor _, Tensor output) =>
            {
                shown.Add(output);
                return null!;
            });
    }

    public override Tensor forward(Tensor input, string place)
    {
        switch (place)
        {
            case "local":
                var local = input * 3;
                Churn(input);
                return local * 1;
            case "field":
                if (kept is null) kept = input * 3;
                Churn(input);
                return kept * 1;
            case "closure":
                var captured = input * 3;
                var read = () => captured * 1;
                Churn(input);
                return read();
            case "list":
                var list = new List<(string, Tensor)> { ("one", input * 3) };
                Churn(input);
                return list[0].Item2 * 1;
            case "dictionary of arrays":
                var map = new Dictionary<string, object> { ["one"] = new object[] { input * 3 } };
                Churn(input);
                return (Tensor)((object[])map["one"])[0] * 1;
            case "view":
                var view = (input * 3).view(-1);
                Churn(input);
                return view.view(input.shape) * 1;
            case "small view":
                var row = (input * 3)[0];
                Churn(input);
                return row.expand_as(input) * 1;
            case "span":
                return FromSpan(input);
            case "storage":
                return FromStorage(input);
            case "accessor":
                var elements = (input * 3).data<float>();
                Churn(input);
                return tensor(elements.ToArray()).view(input.shape);
            case "handle":
                return FromHandle(input);
            case "scope":
                Tensor moved;
                using (NewDisposeScope()) moved = (input * 3).MoveToOuterDisposeScope();
                Churn(input);
                return moved * 1;
            case "detached":
                var detached = (input * 3).DetachFromDisposeScope();
                Churn(input);
                using (detached) return detached * 1;
            case "disposed":
                using (var early = input * 2) early.Dispose();
                Churn(input);
                return input * 3;
            case "finalizer":
                _ = new Owner(input * 2);
                Churn(input);
                GC.WaitForPendingFinalizers();
                return input * 3;
            case "task":
                var shared = input * 3;
                var task = Task.Run(() => shared * 1);
                Churn(input);
                return task.Result;
            case "child":
                var given = child.call(input);
                Churn(input);
                return given * 1;
            case "caught":
                try
                {
                    Churn(input);
                    Fail(input * 2);
                }
                catch (ArithmeticException)
                {
                    Churn(input);
                }

                return input * 3;
            case "thrown":
                Churn(input);
                Fail(input * 2);
                return input;
            case "graph":
                // Nothing in C# refers to what autograd saves of it.
                var product = (input * input).exp().log() * input;
                Churn(input.detach());
                return product;
            default:
                throw new ArgumentException(place);
        }
    }

    /// <summary>What hooks have kept, once other tensors were freed.</summary>
    public static Tensor Shown() => stack(shown.ToArray());

    /// <summary>Makes and drops large tensors until many were freed. Without that it fails, after half a gigabyte.</summary>
    internal static void Churn(Tensor like)
    {
        var before = Tensor.TotalCount;
        for (var made = 1; made <= 2000; made++)
        {
            _ = like + made;
            if (Tensor.TotalCount - before < made - 16) return;
            if (made > 100) System.Threading.Thread.Sleep(1);
        }

        throw new InvalidOperationException("no large tensor was freed before the call ended");
    }

    private static void Fail(Tensor large) => throw new ArithmeticException(large.shape.Length.ToString());

    // What follows only has addresses: the tensors themselves are not used any more.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Tensor FromSpan(Tensor input)
    {
        var bytes = (input * 3).contiguous().bytes;
        Churn(input);
        var copy = empty_like(input);
        bytes.CopyTo(copy.bytes);
        return copy;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Tensor FromStorage(Tensor input)
    {
        var start = (input * 3).storage<float>().data_ptr();
        Churn(input);
        var copy = new float[input.numel()];
        System.Runtime.InteropServices.Marshal.Copy(start, copy, 0, copy.Length);
        return tensor(copy).view(input.shape);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Tensor FromHandle(Tensor input)
    {
        var handle = (input * 3).Handle;
        Churn(input);
        var again = Tensor.UnsafeCreateTensor(handle).DetachFromDisposeScope();
        GC.SuppressFinalize(again); // the handle is the first tensor's
        return again * 1;
    }

    private sealed class Owner(Tensor owned)
    {
        ~Owner() => owned.Dispose();
    }

    public sealed class Inner : Module<Tensor, Tensor>
    {
        public Inner() : base(nameof(Inner)) { }

        public override Tensor forward(Tensor input)
        {
            var half = input * 1.5;
            Churn(input);
            return half * 2;
        }
    }
}

/// <summary>
/// Which of its methods are compiled with optimizations at once: one each for a method that should be, and zero for one that should not.
/// </summary>
public sealed class Optimized : Module<Tensor, Tensor>
{
    public Optimized() : base(nameof(Optimized)) { }

    public override Tensor forward(Tensor input)
    {
        Func<Tensor, Tensor> lambda = x => x + input;
        return tensor(new[] { Is(Find(nameof(forward))), Is(Find(nameof(Several))), Is(lambda.Method), Is(Find(nameof(Asked))),
            Is(Find(nameof(Other))) });
    }

    private static (Tensor, Tensor)[] Several(int count) => [];

    [MethodImpl(MethodImplOptions.NoOptimization)]
    private static Tensor Asked(Tensor input) => input;

    private static int Other(int number) => number;

    private static long Is(MethodInfo method) =>
        method.MethodImplementationFlags.HasFlag(MethodImplAttributes.AggressiveOptimization) ? 1 : 0;

    private MethodInfo Find(string name) =>
        GetType().GetMethod(name,
            BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)!;
}

/// <summary>Gives what the hooks of <see cref="Large"/> have kept.</summary>
public sealed class Shown : Module<Tensor, Tensor>
{
    public Shown() : base(nameof(Shown)) { }

    public override Tensor forward(Tensor input) => Large.Shown();
}
