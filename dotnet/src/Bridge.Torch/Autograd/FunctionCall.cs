using System.Reflection;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.autograd;

namespace Bridge.Torch;

/// <summary>The interface of autograd functions that does not depend on their type argument.</summary>
internal interface IAutogradFunction
{
    string Name { get; }

    /// <summary>Gets the fields that could store a tensor, with the objects that have them; null for a static field.</summary>
    (object? Owner, FieldInfo Field)[] RetainingFields { get; }

    List<Tensor?>? Forward(AutogradContext context, object?[] arguments);

    List<Tensor?>? Backward(AutogradContext context, List<Tensor> gradients);
}

/// <summary>One application of an autograd function. It lives as long as its autograd graph.</summary>
internal sealed class FunctionCall
{
    /// <summary>A missing gradient, which TorchSharp represents as an invalid tensor.</summary>
    private static readonly Tensor Undefined = Tensor.Blank(typeof(Tensor));

    private readonly IAutogradFunction _function;
    private readonly bool[] _isTensor;
    private object?[] _arguments;
    private List<Tensor?> _outputs = [];

    private FunctionCall(IAutogradFunction function, object?[] arguments)
    {
        _function = function;
        _arguments = arguments;
        _isTensor = [.. arguments.Select(argument => argument is Tensor { IsInvalid: false })];
    }

    /// <summary>
    /// Gets or sets the function that runs a call through <c>torch.autograd.Function</c>; null in a process without Python. The function
    /// returns a tensor or null for each output.
    /// </summary>
    internal static Func<FunctionCall, Tensor?[]>? Apply { get; set; }

    internal string Name => _function.Name is { Length: > 0 } name ? name : _function.GetType().Name;

    internal AutogradContext Context { get; } = new();

    /// <summary>Gets the arguments, with null for each that is not a tensor or is an invalid tensor.</summary>
    internal Tensor?[] Inputs => [.. _arguments.Select((argument, at) => _isTensor[at] ? (Tensor)argument! : null)];

    internal static List<Tensor> Run(IAutogradFunction function, object?[] arguments)
    {
        ArgumentNullException.ThrowIfNull(arguments, "vars");
        Nesting.Check();
        var call = new FunctionCall(function, arguments);
        return Apply is { } apply ? call.RestoreOutputs(apply(call)) : call.RunWithoutGraph();
    }

    /// <summary>Runs <c>forward</c>, which stores its data in <see cref="Context"/>.</summary>
    internal List<Tensor?> Forward()
    {
        _outputs = _function.Forward(Context, _arguments) ?? throw new InvalidOperationException($"forward of '{Name}' returned null.");
        Context.Close(_outputs);
        if (DisposeScope.InCall) ReachableTensors.Detach(_function.RetainingFields);
        return _outputs;
    }

    /// <summary>Runs <c>backward</c> and returns a gradient or null for each argument.</summary>
    /// <param name="gradients">The gradients of the outputs; null for undefined ones.</param>
    internal Tensor?[] Backward(IEnumerable<Tensor?> gradients)
    {
        var found = _function.Backward(Context, [.. gradients.Select(gradient => gradient ?? Undefined)])
            ?? throw new InvalidOperationException($"backward of '{Name}' returned null.");
        // As in PyTorch, surplus gradients are allowed if they are undefined.
        if (found.Count < _isTensor.Length || found.Skip(_isTensor.Length).Any(IsDefined))
            throw new InvalidOperationException(
                $"Function {Name} returned an incorrect number of gradients (expected {_isTensor.Length}, got {found.Count}).");
        for (var at = 0; at < _isTensor.Length; at++)
            if (!_isTensor[at] && found[at] is { IsInvalid: false })
                throw new InvalidOperationException(
                    $"Function {Name} returned a gradient at position {at + 1}, but the corresponding forward input was not a Tensor.");
        return [.. found.Take(_isTensor.Length).Select((gradient, at) => _isTensor[at] && IsDefined(gradient) ? gradient : null)];
    }

    /// <summary>Detaches the tensors in the function's fields and in the context from the dispose scope of <c>backward</c>.</summary>
    internal void Keep()
    {
        ReachableTensors.Detach(_function.RetainingFields);
        foreach (var value in Context.Data) ReachableTensors.Detach(value);
    }

    private bool IsArgument(Tensor tensor) => _arguments.Any(argument => ReferenceEquals(argument, tensor));

    private static bool IsDefined(Tensor? gradient) => gradient is not null && !ReferenceEquals(gradient, Undefined);

    /// <summary>
    /// Replaces each result by the object that <c>forward</c> returned, if both are the same tensor and that object is neither an argument
    /// nor owned by the context.
    /// </summary>
    private List<Tensor> RestoreOutputs(Tensor?[] results)
    {
        var settled = new List<Tensor>(results.Length);
        for (var at = 0; at < results.Length; at++)
        {
            var (result, own) = (results[at], _outputs[at]);
            if (result is not null && own is not null && !IsArgument(own) && !Context.Owns(own) && own.IsSame(result))
            {
                result.Dispose();
                result = own;
            }

            settled.Add(result!);
        }

        // The caller owns arguments and outputs; backward uses only the context.
        (_arguments, _outputs) = ([], []);
        return settled;
    }

    /// <summary>Runs <c>forward</c> without a graph, in a process without Python.</summary>
    private List<Tensor> RunWithoutGraph()
    {
        if (is_grad_enabled() && Inputs.Any(input => input is { requires_grad: true }))
            throw new NotSupportedException(
                $"The autograd function '{Name}' needs Python in the process: PyTorch's torch.autograd.Function runs its backward. Without "
                    + "gradients (torch.no_grad()) it can be applied.");
        using (no_grad())
        {
            // Return aliases of arguments, which the caller may dispose, and of the context's tensors, which are disposed below.
            List<Tensor> outputs = [.. Forward().Select(output =>
                output is null ? null! : IsArgument(output) || Context.Owns(output) ? output.alias() : output)];
            Context.Dispose();
            return outputs;
        }
    }
}
