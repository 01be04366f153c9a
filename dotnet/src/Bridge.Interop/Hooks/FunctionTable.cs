using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>Applications of C#'s autograd functions, by the number that PyTorch's context of each carries.</summary>
/// <remarks>
/// The entry is what keeps the C# side alive. Python's context is part of the graph; when it dies, Python reports it and the entry is dropped.
/// C# knows the graph by this number only, so no reference goes round.
/// </remarks>
internal static class FunctionTable
{
    private static readonly ConcurrentDictionary<long, FunctionCall> Known = new();
    private static long _numbers;

    /// <summary>Number of applications whose graph is alive.</summary>
    internal static int Count => Known.Count;

    /// <exception cref="ObjectDisposedException">Its graph is gone.</exception>
    internal static FunctionCall Get(long number) => Known.TryGetValue(number, out var call) ? call : throw new ObjectDisposedException("function", "The graph of this autograd function is gone.");

    /// <summary>Has PyTorch apply it, which calls back for its forward.</summary>
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
            // No catch: see the remarks of Dispatcher on recursion.
            if (!applied) Forget(number);
        }
    }

    /// <summary>Runs the forward; gives what PyTorch's context has to know.</summary>
    internal static object?[] Forward(long number)
    {
        var call = Get(number);
        var context = call.Context;
        object?[] outputs = [.. call.Forward()];
        object?[] result = [outputs, context.Saved.ToArray<object?>(), context.Dirty, context.NonDifferentiable, context.MaterializeGrads];
        context.Open(() => Callbacks.Saved(number));
        return result;
    }

    /// <summary>The graph is gone. The GIL is held.</summary>
    internal static void Forget(long number)
    {
        if (Known.TryRemove(number, out var call)) call.Context.Dispose();
    }
}
