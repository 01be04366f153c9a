using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The calls of <c>apply</c> of C# autograd functions, by the numbers that PyTorch's autograd contexts hold.</summary>
/// <remarks>
/// The table keeps the C# objects of a call alive until PyTorch frees the context with the graph. C# knows the context only by the number,
/// so there is no reference cycle.
/// </remarks>
internal static class FunctionTable
{
    private static readonly ConcurrentDictionary<long, FunctionCall> Known = new();
    private static long _numbers;

    /// <summary>The number of calls of <c>apply</c> whose graph is alive.</summary>
    internal static int Count => Known.Count;

    /// <exception cref="ObjectDisposedException">The graph was freed.</exception>
    internal static FunctionCall Get(long number) => Known.TryGetValue(number, out var call)
        ? call : throw new ObjectDisposedException("function", "The graph of this autograd function was freed.");

    /// <summary>Applies a function through PyTorch, which calls <see cref="Forward"/>.</summary>
    internal static torch.Tensor?[] Apply(FunctionCall call)
    {
        var number = Interlocked.Increment(ref _numbers);
        Known[number] = call;
        var applied = false;
        try
        {
            var results = Callbacks.Apply(number, call.Name, call.Inputs);
            applied = true;
            return Array.ConvertAll(results, result => (torch.Tensor?)result);
        }
        finally
        {
            // In a finally block, because a catch block would keep the stack of a deep recursion (see the remarks of Dispatcher).
            if (!applied) Forget(number);
        }
    }

    /// <summary>Runs the forward and returns the outputs, the tensors to save, and the other settings of PyTorch's context.</summary>
    internal static object?[] Forward(long number)
    {
        var call = Get(number);
        var context = call.Context;
        object?[] outputs = [.. call.Forward()];
        object?[] result = [outputs, context.Saved.ToArray<object?>(), context.Dirty, context.NonDifferentiable, context.MaterializeGrads];
        context.Open(() => Callbacks.Saved(number));
        return result;
    }

    /// <summary>
    /// Removes a call of <c>apply</c>, because its graph was freed (the GIL is held) or because the call failed (the GIL is not held).
    /// </summary>
    internal static void Forget(long number)
    {
        if (Known.TryRemove(number, out var call)) call.Context.Dispose();
    }
}
