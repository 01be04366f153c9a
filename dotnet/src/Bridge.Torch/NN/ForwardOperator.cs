using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>What a mirrored built-in computes where that is one operator, on the input and its own tensors: from handle to handle, without a tensor of C#'s.</summary>
/// <remarks>
/// It has the tensors' slots at hand. A training step leaves nothing of a model in the caches, and the objects of modules and parameters, of which a call would only
/// read where the slots are, take longer to fetch than all else that C# does for a small layer.
/// </remarks>
internal sealed unsafe class ForwardOperator
{
    /// <summary>The built-in is not one operator, now.</summary>
    internal static readonly ForwardOperator None = new(null!);

    private readonly Op _op;
    private readonly TensorSlot? _first;
    private readonly TensorSlot? _second;

    /// <param name="op">An operator that takes the input and nothing else.</param>
    internal ForwardOperator(Op op) => _op = op;

    private ForwardOperator(Op op, TensorSlot first, TensorSlot? second) => (_op, _first, _second) = (op, first, second);

    /// <summary>An operator that takes the input, and then two tensors.</summary>
    /// <param name="op">The operator.</param>
    /// <param name="module">The mirrored module that has them.</param>
    /// <param name="first">The name of the first; without it this gives null.</param>
    /// <param name="second">That of the other, which the operator can do without.</param>
    internal static ForwardOperator? Of(Op op, torch.nn.Module module, string first, string second)
    {
        TensorSlot? firstSlot = null, secondSlot = null;
        foreach (var (name, tensor) in module.OwnTensors)
        {
            if (name == first) firstSlot = tensor.Slot;
            else if (name == second) secondSlot = tensor.Slot;
        }

        return firstSlot is null ? null : new(op, firstSlot, secondSlot);
    }

    /// <summary>Fetches where the slots are: see <see cref="ModuleLink.Prefetch"/>.</summary>
    internal void Prefetch() => Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.AsRef(in _op)));

    /// <summary>Runs it.</summary>
    /// <param name="input">A handle, which it takes over.</param>
    /// <param name="synchronized">The module's link, which has just synchronized whether anything is another one in Python.</param>
    /// <returns>The result's handle, which the caller owns.</returns>
    internal IntPtr Run(IntPtr input, ModuleLink synchronized)
    {
        var plan = _op.Plan;
        var stack = stackalloc ulong[plan.Slots];
        var call = new OpCall(plan, stack);
        call.Set(0, input);
        if (plan.Positions.Length > 1)
        {
            call.Set(1, _first, synchronized);
            call.Set(2, _second, synchronized);
        }

        return call.RunHandle();
    }
}
