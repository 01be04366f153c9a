using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The single operator that the <c>forward</c> of a mirrored built-in module consists of. It runs on the handles of the input and the
/// module's own tensors, without tensor objects.
/// </summary>
/// <remarks>
/// A mirrored module is represented by a Python module, which owns the tensors. A <see cref="TensorSlot"/> gives access to one tensor. The
/// operator holds the slots itself, so that a call does not load the objects of the module and its parameters into the CPU caches.
/// </remarks>
internal sealed unsafe class ForwardOperator
{
    /// <summary>The value for a module whose <c>forward</c> is not a single operator.</summary>
    internal static readonly ForwardOperator None = new(null!);

    private readonly Op _op;
    private readonly TensorSlot? _first;
    private readonly TensorSlot? _second;

    /// <param name="op">An operator whose only argument is the input.</param>
    internal ForwardOperator(Op op) => _op = op;

    private ForwardOperator(Op op, TensorSlot first, TensorSlot? second) => (_op, _first, _second) = (op, first, second);

    /// <summary>Creates an operator on the input and two tensors of the module.</summary>
    /// <param name="op">The operator.</param>
    /// <param name="module">The mirrored module.</param>
    /// <param name="first">
    /// The name of the first tensor. If the module lacks this tensor, or the tensor has no slot, the method returns null.
    /// </param>
    /// <param name="second">The name of the second, optional tensor.</param>
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

    /// <summary>Prefetches this object: see <see cref="ModuleLink.Prefetch"/>.</summary>
    internal void Prefetch() => Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.AsRef(in _op)));

    /// <summary>Runs the operator.</summary>
    /// <param name="input">A handle, which the operator takes over.</param>
    /// <param name="synchronized">The module's link. The caller has just synchronized it with the mirror.</param>
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
