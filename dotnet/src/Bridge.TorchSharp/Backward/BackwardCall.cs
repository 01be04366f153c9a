using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Bridge.Hooks;
using TorchSharp;
using Tensor = TorchSharp.torch.Tensor;

namespace Bridge.TorchSharp;

/// <summary>A call of a module with backward hooks: taps the arguments and the result, and runs the hooks in the backward pass.</summary>
/// <remarks>
/// The hooks are those at the beginning of the call (C-6). The graph keeps this object alive, so it has no tensor of the graph. Codes such
/// as B-3 are clauses of docs/contract.md.
/// </remarks>
internal sealed class BackwardCall(ModuleHooks hooks)
{
    private readonly HookRegistry<BackwardPreHook>.Entry[]? _pre = hooks.Backward.Pre.Entries;
    private readonly HookRegistry<BackwardHook>.Entry[]? _full = hooks.Backward.Full.Entries;
    private int _inputCount;
    private bool _inputsTapped;

    // Not null while the gradients are between the result and the arguments.
    private Tensor?[]? _gradOutput;

    private string Title => $"{(hooks.Path.Length == 0 ? "the root" : $"'{hooks.Path}'")} ({hooks.Module.GetType().Name})";

    /// <summary>Returns the arguments, in which the tensors that require grad are tapped (B-5).</summary>
    /// <param name="args">The arguments, after the pre hooks.</param>
    /// <param name="given">The number of arguments that were given.</param>
    internal object?[] TapArguments(object?[] args, int given)
    {
        // A pre hook may have assigned a tensor to an argument that was left out.
        _inputCount = Math.Max(Math.Min(given, args.Length), Array.FindLastIndex(args, value => value is Tensor) + 1);
        var tapped = Tap(args, _inputCount, PassInputs);
        _inputsTapped = tapped is not null;
        return tapped ?? args;
    }

    /// <summary>Returns the result, in which the tensors that require grad are tapped.</summary>
    /// <exception cref="NotSupportedException">The result is neither a tensor nor a tuple.</exception>
    internal object? TapResult(object? result)
    {
        if (result is null || !torch.is_grad_enabled()) return result;
        if (result is Tensor) return Tap([result], 1, PassOutputs)?[0] ?? result;
        if (result is ITuple { Length: < 8 } tuple && result.GetType().FullName!.StartsWith("System.ValueTuple`", StringComparison.Ordinal))
        {
            var elements = Enumerable.Range(0, tuple.Length).Select(i => tuple[i]).ToArray();
            return Tap(elements, elements.Length, PassOutputs) is { } tapped ? Rebuild(result, tapped) : result;
        }

        throw new NotSupportedException(
            $"The result of {Title} is a {result.GetType()}. Backward hooks need a tensor, or a tuple of up to 7 elements with tensors: "
                + "tensors in other values cannot be replaced. PyTorch warns and does not run the hooks.");
    }

    // Returns the values with the tapped tensors; null if no gradient will be computed for any of them.
    private static object?[]? Tap(object?[] values, int count, Func<Place?[], Tensor?[], Tensor?[]> pass)
    {
        if (!torch.is_grad_enabled()) return null;
        int[] at = [.. Enumerable.Range(0, count).Where(i => values[i] is Tensor { IsInvalid: false, requires_grad: true })];
        if (at.Length == 0) return null;
        Place?[] places = [.. values.Take(count).Select(value => value is Tensor { IsInvalid: false } tensor ? new Place(tensor) : null)];
        var outputs = GradientTap.Tap(at.Select(i => (Tensor)values[i]!), PassThrough);
        object?[] tapped = [.. values];
        for (var i = 0; i < at.Length; i++) tapped[at[i]] = outputs[i];
        return tapped;

        // Only the tapped tensors have gradients in the graph, but the hooks see a place for each value.
        Tensor?[] PassThrough(Tensor?[] gradients)
        {
            var all = new Tensor?[places.Length];
            for (var i = 0; i < at.Length; i++) all[at[i]] = gradients[i];
            var passed = pass(places, all);
            return [.. at.Select(i => passed[i])];
        }
    }

    private Tensor?[] PassOutputs(Place?[] places, Tensor?[] gradients)
    {
        var gradOutput = gradients;
        foreach (ref readonly var entry in _pre.AsSpan())
        {
            if (entry.Hook(hooks.Module, gradOutput) is not { } replaced) continue;
            gradOutput = Replace(gradOutput, replaced, "Backward pre hook", "grad_output");
        }

        Check(places, gradOutput);
        if (_inputsTapped)
        {
            _gradOutput = gradOutput;
            return gradOutput;
        }

        // No argument requires grad (B-7, B-8).
        foreach (ref readonly var entry in _full.AsSpan())
        {
            if (entry.Hook(hooks.Module, new Tensor?[_inputCount], gradOutput) is { } replaced && replaced.Any(value => value is not null))
            {
                throw new InvalidOperationException(
                    "Backward hook for Modules where no input requires gradient should always return None or None for all gradients. "
                        + $"The hook is one of {Title}.");
            }
        }

        return gradOutput;
    }

    private Tensor?[] PassInputs(Place?[] places, Tensor?[] gradients)
    {
        // PyTorch's zeros are real (B-11): a leaf that was not used gets them.
        Tensor?[] gradInput = [.. gradients.Zip(places, (gradient, place) => gradient ?? place?.Zeros())];
        // The gradients have not come through the result: for example, they are differentiated a second time (B-15).
        if (_gradOutput is not { } gradOutput) return gradInput;
        _gradOutput = null;
        foreach (ref readonly var entry in _full.AsSpan())
        {
            if (entry.Hook(hooks.Module, gradInput, gradOutput) is not { } replaced) continue;
            gradInput = Replace(gradInput, replaced, "Backward hook", "grad_input");
        }

        Check(places, gradInput);
        return gradInput;
    }

    private Tensor?[] Replace(Tensor?[] old, IReadOnlyList<Tensor?> replaced, string kind, string name)
    {
        if (replaced.Count == old.Length) return [.. replaced];
        throw new InvalidOperationException(
            $"{kind} returned an invalid number of {name}, got {replaced.Count}, but expected {old.Length}. The hook is one of {Title}.");
    }

    // libtorch would accept most of these: it would sum a larger gradient, convert another element type, and drop a disposed tensor.
    private void Check(Place?[] places, Tensor?[] gradients)
    {
        foreach (var (place, gradient) in places.Zip(gradients))
        {
            if (place is null || gradient is null) continue;
            if (gradient.IsInvalid) throw new InvalidOperationException($"A backward hook of {Title} has returned a disposed tensor.");
            if (place.Differs(gradient) is { } difference)
                throw new InvalidOperationException($"A backward hook of {Title} has changed the {difference}.");
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "The attachment of the registry requires unreferenced code.")]
    private static object Rebuild(object tuple, object?[] elements)
    {
        var copy = RuntimeHelpers.GetObjectValue(tuple)!;
        for (var i = 0; i < elements.Length; i++) copy.GetType().GetField($"Item{i + 1}")!.SetValue(copy, elements[i]);
        return copy;
    }

    /// <summary>What is known of a tapped tensor in the backward pass.</summary>
    private sealed class Place(Tensor tensor)
    {
        private readonly long[] _shape = tensor.shape;
        private readonly torch.ScalarType _type = tensor.dtype;
        private readonly torch.Device _device = tensor.device;

        internal Tensor Zeros() => torch.zeros(_shape, _type, _device);

        internal string? Differs(Tensor gradient)
        {
            if (gradient.dtype != _type) return $"type of value (was {_type} got {gradient.dtype})";
            var (was, got) = (_device.ToString(), gradient.device.ToString());
            if (was != got) return $"type of value (was on {was} got on {got})";
            if (gradient.shape.SequenceEqual(_shape)) return null;
            return $"size of value (was [{string.Join(", ", _shape)}] got [{string.Join(", ", gradient.shape)}])";
        }
    }
}
