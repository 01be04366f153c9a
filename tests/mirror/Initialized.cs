using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>
/// Makes large tensors in its constructor, and drops them, until one of them is freed; a tensor that it keeps in some place is not.
/// </summary>
public sealed class Initialized : Module<Tensor, Tensor>
{
    private const int Most = 200;
    private static Tensor? shared;
    private readonly List<Tensor> list = [];
    private readonly Tensor? kept;

    public Initialized(string how) : base(nameof(Initialized))
    {
        switch (how)
        {
            case "tensors":
                Made = Until(() => zeros(1 << 20));
                break;
            case "layers":
                Made = Until(() => Linear(1, 1 << 20));
                break;
            case "small tensors":
                Made = Until(() => zeros(1 << 14), 64 * Most);
                break;
            case "scopes":
                Made = Until(() =>
                {
                    using (NewDisposeScope()) return zeros(1 << 20).MoveToOuterDisposeScope();
                });
                break;
            case "static":
                Made = Once.Made;
                break;
            case "local":
                var local = Ones();
                Until(() => zeros(1 << 20));
                kept = local;
                break;
            case "field":
                kept = Ones();
                Until(() => zeros(1 << 20));
                break;
            case "list":
                list.Add(Ones());
                Until(() => zeros(1 << 20));
                kept = list[0];
                break;
            case "closure":
                var captured = Ones();
                var read = () => captured;
                Until(() => zeros(1 << 20));
                kept = read();
                break;
            case "static field":
                shared = Ones();
                Until(() => zeros(1 << 20));
                kept = shared;
                break;
            case "parameter":
                var parameter = new Parameter(Ones());
                Until(() => zeros(1 << 20));
                kept = parameter.detach();
                break;
            case "moved":
                Tensor moved;
                using (NewDisposeScope()) moved = Ones().MoveToOuterDisposeScope();
                Until(() => zeros(1 << 20));
                kept = moved;
                break;
            case "bytes":
                kept = Filled();
                break;
            default:
                throw new ArgumentException(how);
        }

        RegisterComponents();
    }

    /// <summary>How many were made until one was freed.</summary>
    public long Made { get; }

    /// <summary>Whether the thread has a scope of the user's.</summary>
    public bool Scoped { get; } = CurrentDisposeScope is not null;

    public override Tensor forward(Tensor input) => kept is null ? input : input * kept;

    private static Tensor Ones() => ones(1 << 16);

    private static Tensor Filled()
    {
        var made = zeros(1 << 16, ScalarType.Byte);
        var bytes = made.bytes;
        Until(() => zeros(1 << 20));
        bytes.Fill(1);
        return made.to_type(ScalarType.Float32);
    }

    private static long Until(Func<object> make, int most = Most)
    {
        var before = Tensor.TotalCount;
        var made = 0L;
        for (; made < most && Tensor.TotalCount >= before + made; made++) make();
        return made;
    }

    private static class Once
    {
        internal static readonly long Made = Until(() => zeros(1 << 20));
    }
}
